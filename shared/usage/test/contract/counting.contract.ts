/** Stored facts about counting: its progress, and the processes that count. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RecordName } from '../../src/calendar.ts';
import type { OpenUsage } from '../../src/open.ts';
import type { UsageHarness } from './harness.contract.ts';

export function describeCounting(store: UsageHarness): void {
  describe('counting', () => {
    let one: OpenUsage;
    let other: OpenUsage;

    beforeEach(async () => {
      one = await store.openAll();
      other = await store.openAll();
    });

    it('has come as far as any process has noted last, after a restart too', async () => {
      expect(await one.progress.countedTo()).toBeUndefined();
      await one.progress.note(1_000);
      expect(await other.progress.countedTo()).toBe(1_000);
      await other.progress.note(2_000);
      // A process that was paused notes an earlier moment, which is also true.
      await one.progress.note(1_500);
      await store.restart();
      expect(await (await store.openAll()).progress.countedTo()).toBe(1_500);
    });

    it('remembers what copies may lack until a reader has seen its last mark, where there are copies', async () => {
      const records = [one.records, other.records];
      if (records.includes(undefined)) return expect(records).toEqual([undefined, undefined]);
      const [first, second] = records;
      const [p, q] = ['p', 'q'].map((project) => ({ project, month: '2026-11' })) as [RecordName, RecordName];
      await first!.note([p, q]);
      const seen = await second!.noted(10);
      expect(seen).toEqual([p, q].map((record) => ({ ...record, times: 1 })));
      await first!.note([p]);
      await second!.forget(seen);
      expect(await second!.noted(10)).toEqual([{ ...p, times: 2 }]);
    });

    it('is done by processes that see each other’s signs of life, where there may be several', async () => {
      const processes = [one.processes, other.processes];
      if (processes.includes(undefined)) return expect(processes).toEqual([undefined, undefined]);
      const [first, second] = processes;
      expect(await first!.beat('a')).toEqual(new Map([['a', 1]]));
      expect(await second!.beat('b')).toEqual(new Map(Object.entries({ a: 1, b: 1 })));
      await Promise.all([first!.beat('a'), first!.beat('a')]);
      expect(await second!.beat('b')).toEqual(new Map(Object.entries({ a: 3, b: 2 })));
      await second!.forget('a');
      await second!.forget('a');
      expect(await second!.beat('b')).toEqual(new Map([['b', 3]]));
      expect(await first!.beat('a')).toEqual(new Map(Object.entries({ a: 1, b: 3 })));
    });
  });
}
