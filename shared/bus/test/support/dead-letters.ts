import type { TopicRegistry } from '@hindsight/events/topic.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import type { DeadLetter, DeadLetterQueue } from '../../src/port.ts';

const WITHIN_MS = 600_000;

/** For tests: all dead letters that a topic has now, oldest first. */
export async function readDeadLetters<Registry extends TopicRegistry>(
  bus: DeadLetterQueue<Registry>,
  topic: keyof Registry & string,
): Promise<DeadLetter[]> {
  const found: DeadLetter[] = [];
  await bus.readDeadLetters(topic, { withinMs: WITHIN_MS }, async (deadLetters) => {
    found.push(...deadLetters);
    return deadLetters.length;
  });
  return found;
}

/** For tests: waits until a topic has this many dead letters. Resolves to all of them. */
export async function untilDeadLetters<Registry extends TopicRegistry>(
  bus: DeadLetterQueue<Registry>,
  topic: keyof Registry & string,
  count: number,
): Promise<DeadLetter[]> {
  let found: DeadLetter[] = [];
  await until(
    `${count} dead letters`,
    async () => (found = await readDeadLetters(bus, topic)).length >= count,
  );
  return found;
}
