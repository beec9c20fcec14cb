import { expect, it } from '@jest/globals';
import { EventsRefused } from '@hindsight/bus/errors.ts';
import type { RecordDeltas } from '@hindsight/usage/fold.ts';
import { countOrders } from './orders-received.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const context = { topic: 'orders.received', partition: 0, signal: new AbortController().signal } as const;

it('counts the orders of each source and partition apart, on the day on which they were received', async () => {
  const applied: RecordDeltas[] = [];
  const apply = async (records: readonly RecordDeltas[]) => {
    applied.push(...records);
    return [];
  };
  const received = (source: string, partition: number, sequence: number | undefined) =>
    ({
      ...{ topic: 'orders.received', type: 'order-received', source, partition, sequence },
      data: { projectId: 'p', receivedAt: '2026-11-20T23:59:59.999Z' },
    }) as never;
  // Sequences rise within a source's share of a partition: of the same number, none is a repetition here.
  const events = [received('/a', 0, 7), received('/a', 1, 7), received('/b', 0, 7), received('/a', 0, 7)];
  await countOrders({ apply }, { now: () => NOW })(events, context);
  const [record] = applied;
  expect(record).toMatchObject({ project: 'p', month: '2026-11' });
  expect(new Set(record!.producers.map(({ producer }) => producer)).size).toBe(3);
  // Fit for a field's name in any store.
  for (const { producer, deltas } of record!.producers) {
    expect(producer).toMatch(/^orders-[0-9a-f]{32}$/);
    const entry = { project: 'p', day: '2026-11-20', requests: 0, orders: 1 };
    expect(deltas).toEqual([{ sequence: 7, entry }]);
  }
  const unnumbered = [received('/a', 0, undefined)];
  await expect(countOrders({ apply }, { now: () => NOW })(unnumbered, context)).rejects.toThrow(
    EventsRefused,
  );
});
