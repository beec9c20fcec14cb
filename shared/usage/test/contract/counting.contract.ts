/** Stored facts about counting: its progress, and the processes that count. */
import { beforeEach, describe, expect, it } from '@jest/globals';
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
