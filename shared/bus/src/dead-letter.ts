/** A dead letter as a record: the original record with headers that say why it could not be processed and where it was. */
import { decodeEvent } from '@hindsight/events/envelope.ts';
import { deadLetterTopic, type TopicDefinition } from '@hindsight/events/topic.ts';
import type { OutgoingRecord, StoredRecord } from './log.ts';
import type { DeadLetter } from './port.ts';

const PREFIX = 'dead_letter_';
const REASON_LIMIT = 1_000;
/** They wait for an operator. */
export const DEAD_LETTER_RETENTION_MS = 90 * 24 * 3_600_000;

/** Why a record is dead-lettered. */
interface Verdict {
  readonly reason: string;
  readonly group: string;
  /** Unix milliseconds. */
  readonly at: number;
}

export function toDeadLetter(record: StoredRecord, verdict: Verdict): OutgoingRecord {
  return {
    topic: deadLetterTopic(record.topic),
    key: record.key,
    value: record.value,
    headers: {
      ...record.headers,
      [`${PREFIX}reason`]: verdict.reason.slice(0, REASON_LIMIT),
      [`${PREFIX}group`]: verdict.group,
      [`${PREFIX}at`]: new Date(verdict.at).toISOString(),
      [`${PREFIX}topic`]: record.topic,
      [`${PREFIX}partition`]: String(record.partition),
      [`${PREFIX}offset`]: record.offset,
    },
  };
}

/** Reads a dead letter; headers that are missing, as in a record of another program, are left empty. */
export function readDeadLetter(record: StoredRecord): DeadLetter {
  const own = Object.entries(record.headers).filter(([name]) => !name.startsWith(PREFIX));
  const about = (name: string): string => record.headers[`${PREFIX}${name}`] ?? '';
  return {
    topic: record.topic,
    partition: record.partition,
    offset: record.offset,
    key: record.key,
    value: record.value,
    headers: Object.fromEntries(own),
    reason: about('reason'),
    group: about('group'),
    from: { topic: about('topic'), partition: Number(about('partition')), offset: about('offset') },
    at: Date.parse(about('at')) || 0,
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
