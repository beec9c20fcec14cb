/** Faults in the system while orders come in, and the result afterwards. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expelMembers } from '../expel-members.ts';
import { makeManyOrders, makeOrder, type OrderToSend } from './signed-orders.ts';
import { quantile } from '../steady-load.ts';
import { sendSteadily } from './steady-load.ts';
import type { TopicWatch } from './topic-watch.ts';
import type { Topology } from './topology.ts';

/** Something that goes wrong. Resolves when it is over. */
export interface Fault {
  readonly name: string;
  readonly strike: (system: Topology) => Promise<void>;
}

const DOWN_MS = 1_000;
const AWAY_MS = 3_000;

/** All faults, in the order of the run: the first orders service leads until it is killed. */
export const FAULTS: readonly Fault[] = [
  { name: 'none', strike: async () => undefined },
  { name: 'kill -9 orders', strike: ({ orders }) => orders[1]!.killAndRestart(DOWN_MS) },
  { name: 'kill -9 the relay that leads', strike: ({ orders }) => orders[0]!.killAndRestart(DOWN_MS) },
  {
    name: 'kill -9 metering',
    strike: ({ metering, kafka }) => metering.killAndRestart(DOWN_MS, () => expelMembers(kafka.brokers)),
  },
  { name: 'kill -9 gateway', strike: ({ gateways }) => gateways[0]!.killAndRestart(DOWN_MS) },
  {
    name: 'Kafka paused',
    async strike({ kafka }) {
      await kafka.pause();
      await sleep(AWAY_MS);
      kafka.resume();
    },
  },
  { name: 'Kafka cut off', strike: (system) => cutOff(system, 'kafka') },
  { name: 'Kafka restarted', strike: ({ kafka }) => kafka.restart() },
  {
    name: 'MongoDB paused',
    async strike({ mongodb }) {
      await mongodb.pause();
      await sleep(AWAY_MS);
      mongodb.resume();
    },
  },
  { name: 'MongoDB cut off', strike: (system) => cutOff(system, 'mongodb') },
];

async function cutOff(system: Topology, server: 'kafka' | 'mongodb'): Promise<void> {
  await system.setJoined(server, false);
  await sleep(AWAY_MS);
  await system.setJoined(server, true);
}

/** The result of one run. */
export interface FaultReport {
  readonly fault: string;
  readonly sent: number;
  /** Answered 201. */
  readonly taken: number;
  /** Answered 503. */
  readonly refused: number;
  /** Not answered. */
  readonly unanswered: number;
  /** Orders with a 201 whose event is on the topic. */
  readonly onTopic: number;
  /** Events of orders that were not answered 201, also of an earlier run: the answer was lost, not the order. */
  readonly beside: number;
  /** Events that were written more than once, recognisable by their ids. */
  readonly doubled: number;
  /** Orders that the metering service has counted: all distinct ones that are on the topic. */
  readonly metered: number;
  readonly p50: number;
  readonly p99: number;
}

const ANSWER_WITHIN_MS = 20_000;
const DRAINED_WITHIN_MS = 600_000;
const SETTLES_MS = 1_000;
const METERED_WITHIN_MS = 600_000;

/** Orders that warm up the processes, and their rate a second. */
const [WARMING, WARMING_PER_SECOND, WARMING_SERIES] = [1_500, 150, 900_000];

/** Sends orders for warming up, so that no run meets a JVM or a Node that has just started. */
export async function warmUp(system: Topology): Promise<void> {
  const gateways = system.gateways.map(({ url }) => url);
  const orders = await makeManyOrders(WARMING, WARMING_SERIES);
  await sendSteadily({
    gateways,
    key: system.key,
    orders,
    perSecond: WARMING_PER_SECOND,
    timeoutMs: ANSWER_WITHIN_MS,
  });
  await sleep(SETTLES_MS);
}

/** Sends orders at a steady rate, lets the fault happen after a third of them, and waits until everything is out. */
export async function runFault(
  fault: Fault,
  system: Topology,
  watch: TopicWatch,
  options: { readonly orders: readonly OrderToSend[]; readonly perSecond: number; readonly series: number },
): Promise<FaultReport> {
  await system.forgetPublished();
  const { orders } = options;
  // At rest: every order on the topic has been metered.
  const before = await untilMetered(system, watch);
  const known = new Set(watch.written.keys());
  const load = sendSteadily({
    orders,
    key: system.key,
    perSecond: options.perSecond,
    timeoutMs: ANSWER_WITHIN_MS,
    gateways: system.gateways.map(({ url }) => url),
  });
  await sleep((orders.length / options.perSecond / 3) * 1000);
  const [outcome] = await Promise.all([load, fault.strike(system)]);
  const markers = await drain(system, watch, options.series);
  const after = await untilMetered(system, watch);
  const missing = [...outcome.taken.keys()].filter((id) => !watch.written.has(id)).length;
  // The orders that only mark the end have been counted as well.
  const metered = after - before - markers.filter((id) => watch.written.has(id)).length;
  const written = [...watch.written.keys()].filter((id) => !known.has(id) && !markers.includes(id));
  return {
    fault: fault.name,
    sent: orders.length,
    taken: outcome.taken.size,
    refused: outcome.statuses.get(503) ?? 0,
    unanswered: outcome.statuses.get(0) ?? 0,
    onTopic: outcome.taken.size - missing,
    beside: written.filter((id) => !outcome.taken.has(id)).length,
    doubled: written.filter((id) => (watch.written.get(id)?.length ?? 0) > 1).length,
    metered,
    p50: quantile(outcome.latencies, 0.5),
    p99: quantile(outcome.latencies, 0.99),
  };
}

/**
 * Waits until one more order, sent after all others, is on the topic, and the whole topic is read. Orders go
 * out oldest first, so all others are there by then, including those whose answers were lost. Resolves to the
 * ids of all the orders sent.
 */
async function drain(system: Topology, watch: TopicWatch, series: number): Promise<string[]> {
  const deadline = performance.now() + DRAINED_WITHIN_MS;
  const sent: string[] = [];
  for (let attempt = 0; performance.now() < deadline; attempt++) {
    const last = makeOrder(10n ** 16n + BigInt(series) * 1_000n + BigInt(attempt));
    sent.push(last.id);
    const gateways = system.gateways.map(({ url }) => url);
    const once = { orders: [last], perSecond: 1, timeoutMs: ANSWER_WITHIN_MS };
    const { taken } = await sendSteadily({ gateways, key: system.key, ...once });
    if (taken.size === 0) continue;
    while (!watch.written.has(last.id) && performance.now() < deadline) await sleep(50);
    break;
  }
  await watch.caughtUp();
  return sent;
}

/**
 * Waits until as many orders are metered as are on the topic: nothing is under way then. An order metered
 * twice stays as one too many. @returns the number metered
 */
export async function untilMetered(system: Topology, watch: TopicWatch): Promise<number> {
  const deadline = performance.now() + METERED_WITHIN_MS;
  for (;;) {
    const metered = await system.metered();
    if (metered === watch.written.size || performance.now() > deadline) return metered;
    await sleep(100);
  }
}

/** The reports as a table. */
export function tableOf(reports: readonly FaultReport[]): string {
  const head = [
    'fault',
    'sent',
    '201',
    '503',
    'no answer',
    'on topic',
    'beside',
    'doubled',
    'metered',
    'p50 ms',
    'p99 ms',
  ];
  const rows = reports.map(({ fault, p50, p99, ...numbers }) => {
    const { sent, taken, refused, unanswered, onTopic, beside, doubled, metered } = numbers;
    const counts = [sent, taken, refused, unanswered, onTopic, beside, doubled, metered].map(String);
    return [fault, ...counts, p50.toFixed(1), p99.toFixed(1)];
  });
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]!.length)));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  ');
  return [line(head), ...rows.map(line)].join('\n');
}
