/** Compares what clients saw with the ledger, the topic, the counters and the stream. */
import type { Seen } from './clients.ts';

/** Facts of the installation at the end, when all has been healed. */
export interface Told {
  /** Writes of each event on the topic, by its id: source and sequence. */
  readonly topic: ReadonlyMap<string, readonly string[]>;
  /** Orders of the project that metering has counted. */
  readonly ordersCounted: number;
  /** Units of the two projects that are counted. */
  readonly openCounted: number;
  readonly limitedCounted: number;
  readonly limit: number;
  /** Units and orders of the open project as the portal shows them; undefined if it does not. */
  readonly shown: { readonly units: number; readonly orders: number } | undefined;
  /** Lines of the follower: event's id and order's. */
  readonly followed: readonly { readonly event: string; readonly order: string }[];
}

/** Broken promises, in words; none if all were kept. */
export function brokenPromises(seen: Seen, told: Told): string[] {
  return [
    ...seen.wrong,
    ...ordersBroken(seen, told),
    ...unitsBroken(seen, told),
    ...streamBroken(seen, told),
    ...portalBroken(told),
  ];
}

function ordersBroken({ taken }: Seen, { topic, ordersCounted }: Told): string[] {
  const lost = [...taken].filter((id) => !topic.has(id));
  const twice = [...topic].filter(([, writes]) => new Set(writes).size > 1);
  return [
    ...lost.map((id) => `order ${id} was answered 201, and is not on the topic`),
    ...twice.map(([id, writes]) => `order ${id} is on the topic as ${[...new Set(writes)].join(' and ')}`),
    ...(ordersCounted === topic.size
      ? []
      : [`${ordersCounted} orders are counted, ${topic.size} are on the topic`]),
  ];
}

function unitsBroken({ open, limited }: Seen, { openCounted, limitedCounted, limit }: Told): string[] {
  const fits = (name: string, counted: number, { charged, cutOff }: Seen['open']): string[] =>
    counted >= charged && counted <= charged + cutOff
      ? []
      : [`${name}: ${counted} units counted, ${charged} answered and ${cutOff} cut off`];
  return [
    ...fits('the open project', openCounted, open),
    ...fits('the limited project', limitedCounted, limited),
    ...(limited.charged > limit || limitedCounted > limit
      ? [`${limited.charged} answered and ${limitedCounted} counted, ${limit} are the limit`]
      : []),
  ];
}

function streamBroken({ taken }: Seen, { followed, topic }: Told): string[] {
  const orders = new Set(followed.map(({ order }) => order));
  const missed = [...taken].filter((id) => !orders.has(id));
  const events = new Set(followed.map(({ event }) => event));
  const unknown = [...orders].filter((id) => !topic.has(id));
  return [
    ...missed.map((id) => `order ${id} was taken, and the follower never got it`),
    ...unknown.map((id) => `order ${id} was followed, and is not on the topic`),
    ...(events.size === followed.length
      ? []
      : [`the follower got ${followed.length - events.size} events twice`]),
    ...(orders.size === followed.length
      ? []
      : [`the follower got ${followed.length - orders.size} orders twice`]),
  ];
}

function portalBroken({ shown, openCounted, ordersCounted }: Told): string[] {
  const counted = `${openCounted} units and ${ordersCounted} orders are counted`;
  if (shown === undefined) return [`the portal shows no usage, ${counted}`];
  return shown.units === openCounted && shown.orders === ordersCounted
    ? []
    : [`the portal shows ${shown.units} units and ${shown.orders} orders, ${counted}`];
}
