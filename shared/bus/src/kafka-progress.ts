import type { Admin } from 'kafkajs';
import type { PartitionProgress } from './port.ts';

/**
 * A group's committed offset in each partition of a topic; the oldest offset where it has committed nothing, or
 * there is no group.
 */
export async function kafkaProgress(
  admin: Admin,
  group: string | undefined,
  topic: string,
): Promise<PartitionProgress[]> {
  const [ends, groups] = await Promise.all([
    admin.fetchTopicOffsets(topic),
    group === undefined ? [] : admin.fetchOffsets({ groupId: group, topics: [topic] }),
  ]);
  const committed = new Map(
    groups
      .flatMap(({ partitions }) => partitions)
      .map(({ partition, offset }) => [partition, BigInt(offset)]),
  );
  return ends.map(({ partition, low, high }) => {
    const end = BigInt(high);
    const from = committed.get(partition) ?? -1n;
    const next = from > BigInt(low) ? from : BigInt(low);
    return { partition, next, end, waiting: Math.max(0, Number(end - next)) };
  });
}
