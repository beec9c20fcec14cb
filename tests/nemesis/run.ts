/** One seed: clients at work while faults come, two at a time at the most; then all is healed and compared. */
import { until } from '@hindsight/kernel/test/support/until.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Random } from '../simulate/machine/random.ts';
import { isReady } from '../support/is-ready.ts';
import { untilMonthLasts } from '../support/one-month.ts';
import { killFollower, linesOf, startFollower } from '../support/orders/follower-process.ts';
import { watchTopic, type TopicWatch } from '../support/orders/topic-watch.ts';
import { brokenPromises } from './checker.ts';
import { Clients, type Seen } from './clients.ts';
import { killServer, nextFault, rollingDeploy, type Fault } from './faults.ts';
import { Installation, type RedisKind } from './installation.ts';
import type { PortalSeen } from './portal-user.ts';

/** The result of a seed. */
export interface SeedReport {
  readonly seed: number;
  /** Faults, by their names. */
  readonly faults: Readonly<Record<string, number>>;
  /** From the end of a fault to the first read and the first order after it, in milliseconds; not while another lasted. */
  readonly recoveries: readonly { readonly fault: string; readonly ms: number }[];
  readonly seen: Omit<Seen, 'taken' | 'wrong'> & { readonly taken: number; readonly portal: PortalSeen };
  /** In words; empty if every promise was kept. */
  readonly broken: readonly string[];
}

/** Requests a second. */
const [READS, ORDERS, SPENDS, LOOKS, KEYS] = [20, 5, 4, 1, 0.1];
const MEAN_GAP_MS = 3_000;
const MOST_AT_ONCE = 2;
const HEALED_WITHIN_MS = 180_000;
const ASK_EVERY_MS = 300;

/** Runs work on an installation of its own, with a reader of its topic, and stops both. */
export async function onInstallation(
  work: (installation: Installation, watch: TopicWatch) => Promise<void>,
  redis: RedisKind = 'single',
): Promise<void> {
  const installation = await Installation.start(redis);
  try {
    const watch = await watchTopic([installation.brokers], 'nemesis');
    try {
      await work(installation, watch);
    } finally {
      await watch.close();
    }
  } finally {
    await installation.stop();
  }
}

/** Runs a seed. @param seconds that faults come for */
export async function runSeed(
  installation: Installation,
  watch: TopicWatch,
  { seed, seconds }: { readonly seed: number; readonly seconds: number },
): Promise<SeedReport> {
  await untilMonthLasts();
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-nemesis-'));
  const limit = SPENDS * Math.ceil(seconds / 2);
  const { portal, ...open } = await installation.createOwned(1_000_000);
  const limited = await installation.createProject(limit);
  const following = await installation.createProject(1_000_000);
  const clients = new Clients(installation.urls, seed, installation.listed);
  const file = join(folder, 'followed.txt');
  const follower = startFollower(file, installation.urls[0]!, following.key);
  try {
    const ending = new AbortController();
    const { wrong, open: asked } = clients.seen;
    const mostUnits = (): number => asked.charged + asked.cutOff + asked.underWay;
    const keys = new Random(seed);
    const anyKey = (): string => keys.pick([open.key, ...portal.secrets]);
    const work = Promise.all([
      repeat(READS, ending.signal, () => clients.read(anyKey())),
      repeat(ORDERS, ending.signal, () => clients.send(open.key)),
      repeat(SPENDS, ending.signal, () => clients.spend(limited.key)),
      repeat(LOOKS, ending.signal, () => portal.look({ mostUnits, wrong })),
      repeat(KEYS, ending.signal, () => portal.makeKey(wrong)),
    ]);
    const serves = async (): Promise<boolean> =>
      (await clients.read(open.key, 0)) && (await clients.send(open.key)) !== undefined;
    const nemesis = new Nemesis(installation, new Random(seed), clients, serves);
    try {
      await nemesis.run(seconds);
    } finally {
      ending.abort();
      await work;
    }
    await untilHealed(installation);
    // Orders leave in the order of their arrival: when this one is out, all before it are.
    let last: string | undefined;
    const isTaken = async (): Promise<boolean> => (last = await clients.send(open.key)) !== undefined;
    await until('an order is taken', isTaken, HEALED_WITHIN_MS, 500);
    await until('the last order is out', () => watch.written.has(last!), HEALED_WITHIN_MS);
    await watch.caughtUp();
    const { seen, made } = clients;
    const topic = new Map([...watch.written].filter(([id]) => made.has(id)));
    await installation.settled(open.key, seen.open.charged, HEALED_WITHIN_MS);
    const limitedCounted = await installation.settled(limited.key, seen.limited.charged, HEALED_WITHIN_MS);
    const followed = () => linesOf(file).filter(({ order }) => made.has(order));
    const allFollowed = (): boolean => {
      const got = new Set(followed().map(({ order }) => order));
      return [...seen.taken].every((id) => got.has(id));
    };
    await until('the follower has all', allFollowed, HEALED_WITHIN_MS, 200).catch(() => undefined);
    // Read together: units of requests that were cut off may be counted long after all others.
    let counted = { units: NaN, orders: NaN };
    let shown: Awaited<ReturnType<typeof portal.usage>>;
    const shows = async (): Promise<boolean> => {
      const units = await installation.used(open.key).catch(() => NaN);
      counted = { units, orders: await installation.ordersOf(open.key).catch(() => NaN) };
      shown = await portal.usage();
      return counted.orders >= topic.size && isDeepStrictEqual(shown, counted);
    };
    await until('the portal shows what is counted', shows, HEALED_WITHIN_MS, 200).catch(() => undefined);
    const told = {
      ...{ topic, limitedCounted, limit, shown },
      ...{ openCounted: counted.units, ordersCounted: counted.orders },
      followed: followed(),
    };
    return {
      seed,
      faults: nemesis.done,
      recoveries: nemesis.recoveries,
      seen: {
        ...{ open: seen.open, limited: seen.limited, reads: seen.reads, partial: seen.partial },
        ...{ deploy: seen.deploy, portal: portal.seen, taken: seen.taken.size },
      },
      broken: brokenPromises(seen, told),
    };
  } finally {
    await clients.close();
    await killFollower(follower);
    rmSync(folder, { recursive: true, force: true });
  }
}

class Nemesis {
  readonly done: Record<string, number> = {};
  readonly recoveries: { readonly fault: string; readonly ms: number }[] = [];
  readonly #installation: Installation;
  readonly #random: Random;
  readonly #clients: Clients;
  readonly #serves: () => Promise<boolean>;
  readonly #striking = new Map<Promise<void>, Fault>();

  constructor(installation: Installation, random: Random, clients: Clients, serves: () => Promise<boolean>) {
    this.#installation = installation;
    this.#random = random;
    this.#clients = clients;
    this.#serves = serves;
  }

  /**
   * Faults for so long, with a deployment of all gateways in the middle; of a Redis cluster, a primary is lost first.
   * @throws when one could not be healed
   */
  async run(seconds: number): Promise<void> {
    const begun = performance.now();
    const end = begun + seconds * 1_000;
    const cluster = this.#installation.servers.find(({ name }) => name === 'redis cluster');
    if (cluster !== undefined) this.#start(killServer(cluster));
    let isDeployed = false;
    while (performance.now() < end) {
      await sleep(Math.min(this.#random.about(MEAN_GAP_MS), end - performance.now()));
      if (!isDeployed && performance.now() > begun + seconds * 500) {
        isDeployed = true;
        await this.#deploy();
        continue;
      }
      const fault = nextFault(this.#installation, this.#random);
      while (this.#striking.size >= MOST_AT_ONCE || this.#isHurt(fault))
        await Promise.race(this.#striking.keys());
      this.#start(fault);
    }
    await Promise.all(this.#striking.keys());
  }

  #isHurt({ parts }: Fault): boolean {
    return [...this.#striking.values()].some((other) => other.parts.some((part) => parts.includes(part)));
  }

  #start(fault: Fault): void {
    this.done[fault.name] = (this.done[fault.name] ?? 0) + 1;
    const striking = this.#strike(fault).finally(() => this.#striking.delete(striking));
    // The error is thrown where the end of the fault is awaited.
    striking.catch(() => undefined);
    this.#striking.set(striking, fault);
  }

  async #strike(fault: Fault): Promise<void> {
    await fault.strike();
    // Only where this fault alone could delay what comes after it.
    if (this.#striking.size > 1) return;
    const healed = performance.now();
    const isAlone = (): boolean => this.#striking.size === 1;
    const isServed = async (): Promise<boolean> => !isAlone() || this.#serves();
    await until(`${fault.name}: all is served`, isServed, HEALED_WITHIN_MS, ASK_EVERY_MS);
    if (isAlone()) this.recoveries.push({ fault: fault.name, ms: performance.now() - healed });
  }

  /** Alone, so that a request that fails during it fails because of it. */
  async #deploy(): Promise<void> {
    await Promise.all(this.#striking.keys());
    await untilHealed(this.#installation);
    this.#clients.isDeploying = true;
    this.#start(rollingDeploy(this.#installation));
    await Promise.all(this.#striking.keys());
    this.#clients.isDeploying = false;
  }
}

/** Calls at a rate, each without waiting for the one before, until the signal; waits for the last. */
async function repeat(perSecond: number, end: AbortSignal, call: () => Promise<unknown>): Promise<void> {
  const calls: Promise<unknown>[] = [];
  while (!end.aborted) {
    calls.push(call());
    await sleep(1_000 / perSecond);
  }
  await Promise.all(calls);
}

/** Waits until every process is ready. */
async function untilHealed(installation: Installation): Promise<void> {
  for (const { url } of installation.processes)
    await until(`${url} is ready`, () => isReady(url), HEALED_WITHIN_MS, 100);
}
