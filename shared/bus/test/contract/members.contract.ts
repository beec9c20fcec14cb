/** Groups of several members, members that leave, publishers and consumers that are killed. */
import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Orders } from './child.contract.ts';
import { type BusHarness, collector, outOfOrder, thing, type Things, untilSeen } from './harness.contract.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { busesOfEachCase } from './opened.contract.ts';

const CHILD = fileURLToPath(new URL('./child.contract.ts', import.meta.url));
const CHILD_WITHIN_MS = 600_000;

/** Runs a process until it dies and returns the ids that it has reported. */
async function runChild(orders: Orders): Promise<string[]> {
  const { signal, stdout, stderr } = await new Promise<Record<string, string | undefined>>((resolve) => {
    const options = { timeout: CHILD_WITHIN_MS, killSignal: 'SIGTERM', maxBuffer: 10_000_000 } as const;
    execFile(process.execPath, [CHILD, JSON.stringify(orders)], options, (error, out, err) =>
      resolve({ signal: String(error?.signal), stdout: out, stderr: err }),
    );
  });
  expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' });
  return stdout!.trimEnd().split('\n');
}

export function describeMembers(harness: () => BusHarness, newTopic: (partitions?: number) => Things): void {
  const open = busesOfEachCase(harness);

  const orders = (role: Orders['role'], topic: Things, count: number): Orders => ({
    role,
    location: harness().location,
    topic: topic.name,
    partitions: topic.partitions,
    count,
  });

  describe('a publisher killed right after its acknowledgements', () => {
    it('has lost none of them', async () => {
      const topic = newTopic(4);
      const acknowledged = await runChild(orders('publisher', topic, 500));
      const seen = collector();
      await open(topic).subscribe({ group: 'g', topics: [topic.name] }, seen.handler);
      expect(acknowledged).toHaveLength(500);
      // Some that were not acknowledged may be there as well.
      const missing = (): string[] => acknowledged.filter((id) => !seen.ids().includes(id));
      await until('everything that was acknowledged', () => missing().length === 0);
      expect(outOfOrder(seen.ids())).toEqual([]);
    });
  });

  describe('a consumer killed between its work and the commit', () => {
    it('leaves what it had not committed to the next one', async () => {
      const topic = newTopic(1);
      const bus = open(topic);
      await bus.publish(
        topic.name,
        Array.from({ length: 30 }, (_, n) => thing('a', n)),
      );
      const handled = await runChild(orders('consumer', topic, 25));
      expect(new Set(handled).size).toBe(25);
      const seen = collector();
      await bus.subscribe({ group: 'g', topics: [topic.name] }, seen.handler);
      await until('the last event', () => seen.ids().includes('a-29'));
      // Two batches of ten were committed; the third was not, and is delivered again.
      expect(seen.ids()).toEqual(Array.from({ length: 10 }, (_, n) => `a-${20 + n}`));
    });
  });

  describe('two members of a group', () => {
    it('share the partitions and hand them over without losing an event', async () => {
      const topic = newTopic(4);
      const [one, two] = [open(topic), open(topic)];
      const [first, second] = [collector(), collector()];
      const all = (): string[] => [...new Set([...first.ids(), ...second.ids()])];
      const firstTimes: string[] = [];
      const note =
        (seen: typeof first): typeof first.handler =>
        async (batch, context) => {
          firstTimes.push(...batch.map(({ id }) => id).filter((id) => !firstTimes.includes(id)));
          await seen.handler(batch, context);
        };
      let published = 0;
      let publishing = true;
      const load = (async () => {
        for (let n = 0; publishing; n++) {
          await two.publish(
            topic.name,
            Array.from({ length: 8 }, (_, key) => thing(`k${key}`, n)),
          );
          published += 8;
          await sleep(20);
        }
      })();
      const options = { group: 'g', topics: [topic.name] };
      const member = await one.subscribe(options, note(first));
      await until('the first alone', () => first.ids().length > 50);
      await two.subscribe(options, note(second));
      await until('both', () => second.ids().length > 50);
      const before = first.ids().length;
      await until('both at the same time', () => first.ids().length > before + 20);
      await member.close();
      const left = first.ids().length;
      const alone = second.ids().length;
      await until('the second alone', () => second.ids().length > alone + 100);
      publishing = false;
      await load;
      await until('all of them', () => all().length === published);
      expect(first.ids()).toHaveLength(left);
      expect(outOfOrder(firstTimes)).toEqual([]);
    });
  });

  describe('a shutdown in the middle of a batch', () => {
    it('lets the handler finish, commits its work, leaves the rest to the next member', async () => {
      const topic = newTopic(1);
      const bus = open(topic);
      await bus.publish(
        topic.name,
        Array.from({ length: 30 }, (_, n) => thing('a', n)),
      );
      const [first, second] = [collector(), collector()];
      const slow = { group: 'g', topics: [topic.name], maxBatch: 10 };
      let inSecond = false;
      let aborted = false;
      const member = await bus.subscribe(slow, async (batch, { signal, ...context }) => {
        inSecond = first.events.length === 10;
        // It runs until it is aborted.
        if (inSecond) await until('it is aborted', () => (aborted = signal.aborted));
        await first.handler(batch, { signal, ...context });
      });
      await until('the second batch', () => inSecond);
      await member.close();
      expect(aborted).toBe(true);
      expect(first.events).toHaveLength(20);
      await bus.subscribe({ group: 'g', topics: [topic.name] }, second.handler);
      await untilSeen(second, 10);
      await sleep(200);
      expect([...first.events, ...second.events].map(({ data }) => data.n)).toEqual([...Array(30).keys()]);
    });
  });
}
