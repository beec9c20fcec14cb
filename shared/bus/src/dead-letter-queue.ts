/** The dead letters of one topic: reads them to their end, replays their events. */
import { decodeEvent } from '@hindsight/events/envelope.ts';
import { deadLetterTopic, type TopicDefinition } from '@hindsight/events/topic.ts';
import { readDeadLetter } from './dead-letter.ts';
import type { EventLog, OutgoingRecord } from './log.ts';
import type { DeadLetter, ReadDeadLetters } from './port.ts';

interface TopicDeadLetters {
  read(
    options: ReadDeadLetters,
    take: (deadLetters: readonly DeadLetter[]) => Promise<number>,
  ): Promise<void>;
  replay(deadLetters: readonly DeadLetter[]): Promise<number>;
}

/** Opens the dead letters of a topic. @param write resolves when the records are on disk */
export function openDeadLetters(
  log: EventLog,
  topic: TopicDefinition,
  write: (records: OutgoingRecord[]) => Promise<void>,
): TopicDeadLetters {
  return {
    read: (options, take) =>
      log.scan({ ...options, topic: deadLetterTopic(topic.name) }, (records) =>
        take(records.map(readDeadLetter)),
      ),
    async replay(deadLetters) {
      const events = deadLetters.filter((deadLetter) => isEventOf(topic, deadLetter));
      const records = events.map(({ key, value, headers }) => ({ topic: topic.name, key, value, headers }));
      if (records.length > 0) await write(records);
      return records.length;
    },
  };
}

/** True if a dead letter holds a valid event of the topic: only those are replayed. */
export function isEventOf(topic: TopicDefinition, deadLetter: DeadLetter): boolean {
  try {
    decodeEvent(topic, deadLetter);
    return true;
  } catch {
    return false;
  }
}
