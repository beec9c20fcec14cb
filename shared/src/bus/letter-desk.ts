/** Dead letters in a person's hands: reads them to their end, puts their events back. */
import { decodeEvent } from '../events/envelope.ts';
import { deadLetterTopic, type TopicDefinition } from '../events/topic.ts';
import { readLetter } from './dead-letter.ts';
import type { EventLog, OutgoingRecord } from './log.ts';
import type { DeadLetter, ReadLetters } from './port.ts';

/** What the desk does for one topic. */
export interface LetterDesk {
  read(options: ReadLetters, take: (letters: readonly DeadLetter[]) => Promise<number>): Promise<void>;
  putBack(letters: readonly DeadLetter[]): Promise<number>;
}

/** Opens the desk of a topic. @param write resolves when the records are on disk */
export function openLetterDesk(
  log: EventLog,
  topic: TopicDefinition,
  write: (records: OutgoingRecord[]) => Promise<void>,
): LetterDesk {
  return {
    read: (options, take) =>
      log.scan({ ...options, topic: deadLetterTopic(topic.name) }, (records) =>
        take(records.map(readLetter)),
      ),
    async putBack(letters) {
      const events = letters.filter((letter) => isEventOf(topic, letter));
      const records = events.map(({ key, value, headers }) => ({ topic: topic.name, key, value, headers }));
      if (records.length > 0) await write(records);
      return records.length;
    },
  };
}

/** Whether a letter is an event of the topic, as it was published: only such are put back. */
export function isEventOf(topic: TopicDefinition, letter: DeadLetter): boolean {
  try {
    decodeEvent(topic, letter);
    return true;
  } catch {
    return false;
  }
}
