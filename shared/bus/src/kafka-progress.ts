import type { Admin } from 'kafkajs';

/** How many messages of a topic a group has not committed; a group that has committed nothing begins at the oldest. */
export async function kafkaLag(admin: Admin, group: string, topic: string): Promise<number> {
  const [ends, groups] = await Promise.all([
    admin.fetchTopicOffsets(topic),
    admin.fetchOffsets({ groupId: group, topics: [topic] }),
  ]);
  const committed = new Map(
    groups
      .flatMap(({ partitions }) => partitions)
      .map(({ partition, offset }) => [partition, BigInt(offset)]),
  );
  return ends.reduce((lag, { partition, low, high }) => {
    const next = committed.get(partition) ?? -1n;
    const from = next > BigInt(low) ? next : BigInt(low);
    return lag + Math.max(0, Number(BigInt(high) - from));
  }, 0);
}
