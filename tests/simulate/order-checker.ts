/** Promises about orders, checked once the faults are over and everything is published, counted and read. */
import type { Broker } from './broker.ts';
import { MONTHS } from './ledger.ts';
import type { Store } from './store.ts';
import { TRADER, type Traders } from './traders.ts';

interface Deps {
  readonly broker: Broker;
  readonly store: Store;
  readonly traders: Traders;
}

/** True if no order is under way, each that was taken is published, and each follower has as many events as there are. */
export function haveReadAll(broker: Broker, { open, taken, followers }: Traders): boolean {
  const published = new Set(broker.recordsOf('orders.received').map(({ headers }) => headers.ce_id));
  return (
    open === 0 &&
    [...taken].every((id) => published.has(id)) &&
    followers.every(({ seen }) => seen.length >= published.size)
  );
}

/** @returns the broken promises */
export async function checkOrders({ broker, store, traders }: Deps): Promise<string[]> {
  const broken = traders.taken.size === 0 ? ['no order was taken'] : [];
  const numbers = new Map<string, Set<string>>();
  for (const { headers } of broker.recordsOf('orders.received')) {
    const { ce_id: id = '', ce_source: source = '', ce_sequence: sequence = '' } = headers;
    numbers.set(id, (numbers.get(id) ?? new Set()).add(`${source}:${sequence}`));
  }
  for (const id of traders.taken)
    if (!numbers.has(id)) broken.push(`${id} was answered with 201, and not published`);
  for (const [id, under] of numbers) {
    if (!traders.sent.has(id)) broken.push(`${id} was published, and never sent`);
    if (under.size > 1) broken.push(`${id} was published under ${under.size} numbers`);
  }
  const published = [...numbers].flatMap(([order, under]) =>
    [...under].map((number) => ({ sequence: Number(number.slice(number.lastIndexOf(':') + 1)), order })),
  );
  published.sort((one, other) => one.sequence - other.sequence);
  const expected = published.map(({ sequence, order }) => `${sequence} ${order}`).join('\n');
  for (const [at, { seen }] of traders.followers.entries()) {
    const read = seen.map(({ sequence, order }) => `${sequence} ${order}`).join('\n');
    if (read !== expected)
      broken.push(
        `follower ${at + 1} has read ${seen.length} events, not the ${published.length} in their order`,
      );
  }
  let counted = 0;
  for (const month of MONTHS) counted += (await store.ledger.read(TRADER, month)).orders;
  if (counted !== numbers.size) broken.push(`${counted} orders counted, ${numbers.size} published`);
  return broken;
}
