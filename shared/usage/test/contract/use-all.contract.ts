/** Uses every method of a usage store once, so that its database queries can be inspected. */
import { byRecord } from '../../src/fold.ts';
import type { UsageStore } from '../../src/ports.ts';

const MONTH = '2026-11';

/**
 * Calls each method of the store at least once, with something to do for each.
 * @param around called before each call; what it returns is called after it
 */
export async function useAll(
  usage: UsageStore,
  around: (method: keyof UsageStore) => () => void,
): Promise<void> {
  const lease = (producer: string) => ({
    project: 'ada',
    month: MONTH,
    producer,
    limit: 5_000,
    waiting: [1],
    atHand: 0,
  });
  const counted = (producer: string, sequence: number) => {
    const entry = { project: 'ada', day: '2026-11-21', endpoint: 'balance-single', requests: 1, orders: 0 };
    return usage.apply(byRecord([{ producer, sequence, entries: [entry] }]));
  };
  const months = [MONTH];
  const calls: [keyof UsageStore, () => Promise<unknown>][] = [
    ['take', () => usage.take(lease('closed'))],
    [
      'release',
      () => usage.release([{ project: 'ada', month: MONTH, producer: 'closed', units: 5, revision: 1 }]),
    ],
    ['apply', () => counted('closed', 0)],
    ['read', () => usage.read('ada', MONTH)],
    ['closeProducer', () => usage.closeProducer('closed')],
    ['tidyProducers', () => usage.tidyProducers({ months, closedMs: 0, endedMs: 0 })],
    // From a producer that was removed from the record, and from one that was never in it.
    ['apply', () => counted('closed', 1)],
    ['apply', () => counted('new', 0)],
    ['audit', () => usage.audit(MONTH, '', 10)],
    ['coverOverdrawn', () => usage.coverOverdrawn(MONTH)],
    ['settle', () => usage.settle('2026-12', 10)],
  ];
  const used = new Set<string>();
  for (const [method, call] of calls) {
    const after = around(method);
    await call();
    after();
    used.add(method);
  }
  const unused = Object.keys(usage).filter((method) => !used.has(method));
  if (unused.length > 0) throw new Error(`not used: ${unused.join(', ')}`);
}
