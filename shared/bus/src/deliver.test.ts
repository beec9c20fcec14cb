/** Commits and dead letters of a batch, also where its member loses the partition in between. */
import { expect, it } from '@jest/globals';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { deliver, type DeliveryPlan, type Received } from './deliver.ts';
import { EventsRefused, HandlerUnavailable } from './errors.ts';
import type { StoredRecord } from './log.ts';

const records: readonly StoredRecord[] = ['1', '2', '3'].map((offset) => {
  return { topic: 't', partition: 0, offset, key: 'k', headers: {}, value: null };
});

function partsOf(handler: DeliveryPlan['handler'], given: Partial<DeliveryPlan> = {}) {
  const lost = new AbortController();
  const committed: string[] = [];
  const dead: string[] = [];
  const link = {
    topic: 't',
    partition: 0,
    signal: lost.signal,
    commit: async (offset: string) => void committed.push(offset),
  };
  const plan: DeliveryPlan = {
    decode: (record) => record as unknown as Received,
    handler,
    maxBatch: 10,
    retry: { attempts: 3, firstDelayMs: 1, maxDelayMs: 1 },
    deadLetter: async ({ offset }) => void dead.push(offset),
    logger: createLogger({ name: 'test', level: 'silent' }),
    ...given,
  };
  return { lost, committed, dead, link, plan };
}

const refuse = (events: readonly Received[]): never => {
  throw new EventsRefused(new Map(events.map((event) => [event, 'no'])));
};

it('takes a record that no event can be made of for a malformed one, whatever the error', async () => {
  const dead: string[] = [];
  const { link, plan, committed } = partsOf(async () => undefined, {
    decode(record) {
      if (record.offset === '2') throw new TypeError('no text');
      return record as unknown as Received;
    },
    deadLetter: async ({ offset }, reason) => void dead.push(`${offset} ${reason}`),
  });
  await deliver(records, link, plan);
  expect({ dead, committed }).toEqual({
    dead: ['2 MalformedEvent: TypeError: no text'],
    committed: ['1', '2', '3'],
  });
});

it('tries an event once that its handler refuses', async () => {
  let calls = 0;
  const { link, plan, committed, dead } = partsOf(async (events) => {
    calls += 1;
    refuse(events);
  });
  await deliver(records.slice(0, 1), link, plan);
  expect({ calls, committed, dead }).toEqual({ calls: 1, committed: ['1'], dead: ['1'] });
});

it('commits nothing of a batch whose dead letters were not written when the partition was lost', async () => {
  const { link, plan, committed, lost } = partsOf(async (events) => refuse(events), {
    async deadLetter() {
      lost.abort();
      throw new Error('unavailable');
    },
  });
  await deliver(records, link, plan);
  expect(committed).toEqual([]);
});

it('handles no further slice once the partition is lost', async () => {
  const handled: string[] = [];
  const { link, plan, committed, lost } = partsOf(
    async (events) => {
      handled.push(...events.map(({ offset }) => offset));
      lost.abort();
    },
    { maxBatch: 2 },
  );
  await deliver(records, link, plan);
  expect({ handled, committed }).toEqual({ handled: ['1', '2'], committed: ['2'] });
});

it('asks a handler that waits for something no more once the partition is lost', async () => {
  let calls = 0;
  const { link, plan, committed, dead, lost } = partsOf(async () => {
    calls += 1;
    if (calls > 1) return;
    lost.abort();
    throw new HandlerUnavailable('the store cannot be reached');
  });
  await deliver(records.slice(0, 1), link, plan);
  expect({ calls, committed, dead }).toEqual({ calls: 1, committed: [], dead: [] });
});

it('tries an event no more often than it is told to, and not after its partition was lost', async () => {
  let calls = 0;
  const failing = async (): Promise<never> => {
    calls += 1;
    throw new Error('no');
  };
  const { link, plan, dead } = partsOf(failing);
  await deliver(records.slice(0, 1), link, plan);
  expect([calls, dead]).toEqual([plan.retry.attempts, ['1']]);
  const other = partsOf(async () => {
    other.lost.abort();
    return failing();
  });
  calls = 0;
  await deliver(records.slice(0, 1), other.link, other.plan);
  expect([calls, other.dead]).toEqual([1, []]);
});

it('writes again only those dead letters that were not written', async () => {
  const written: string[] = [];
  const { link, plan, committed } = partsOf(async (events) => refuse(events), {
    async deadLetter({ offset }) {
      written.push(offset);
      if (offset === '2' && written.length <= 3) throw new Error('unavailable');
    },
  });
  await deliver(records, link, plan);
  expect([written, committed]).toEqual([['1', '2', '3', '2'], ['3']]);
});
