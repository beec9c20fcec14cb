import { expect, it } from '@jest/globals';
import type { EventsRefused } from '@hindsight/bus/errors.ts';
import type { RecordDeltas } from '@hindsight/usage/fold.ts';
import type { Refusal } from '@hindsight/usage/ports.ts';
import { Count } from './count.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const TODAY = '2026-11-21';

interface Event {
  readonly name: string;
  readonly sequence?: number;
}

it('refuses what has no sequence, is too late, or is refused of its producer, project and month, and counts the rest', async () => {
  const applied: RecordDeltas[] = [];
  const refusal: Refusal = { producer: 'a', project: 'one', month: '2026-11', reason: 'refused' };
  const apply = async (records: readonly RecordDeltas[]) => {
    applied.push(...records);
    return [refusal];
  };
  const count = new Count<Event>({ apply }, NOW);
  const add = (name: string, producer: string, project: string, day: string, sequence?: number): void =>
    count.add({ name, ...(sequence !== undefined && { sequence }) }, producer, [
      { project, day, requests: 1, orders: 0 },
    ]);
  add('own', 'a', 'one', TODAY, 1);
  add('of another producer', 'b', 'one', TODAY, 1);
  add('of another project', 'a', 'two', TODAY, 2);
  add('of another month', 'a', 'one', '2026-10-31', 3);
  add('too late', 'a', 'one', '2026-10-01', 4);
  add('without a sequence', 'a', 'one', TODAY);
  await count.apply();
  const refused = (): object => {
    try {
      return { counted: count.end() };
    } catch (error) {
      const { reasons } = error as EventsRefused;
      return Object.fromEntries([...reasons].map(([event, reason]) => [(event as Event).name, reason]));
    }
  };
  const before = applied.length;
  await count.apply();
  expect(applied).toHaveLength(before);
  expect(refused()).toEqual({
    own: 'refused',
    'too late': '2026-10-01 is more than 35 days ago',
    'without a sequence': 'it has no sequence',
  });
  expect(applied.map(({ project, month, producers }) => [project, month, producers.length])).toEqual([
    ['one', '2026-11', 2],
    ['two', '2026-11', 1],
    ['one', '2026-10', 1],
  ]);
});
