/** A follower that is killed and resumed while orders come in and the services are killed as well. */
import { until } from '@hindsight/kernel/test/support/until.ts';
import { embeddedSecret } from '@hindsight/standalone/secrets-file.ts';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFastKey } from '../fast-key.ts';
import { startRestartable } from '../restartable.ts';
import { killFollower, linesOf, startFollower, type FollowedLine } from './follower-process.ts';
import { makeManyOrders } from './signed-orders.ts';
import { sendSteadily } from './steady-load.ts';

interface FollowerRun {
  /** Of the follower. */
  readonly kills: number;
  readonly perSecond: number;
}

/** Outcome of a run. */
export interface FollowerReport {
  /** Times that the follower, and the services, were killed. */
  readonly kills: number;
  readonly serviceKills: number;
  /** Orders that were sent, and those answered 201. */
  readonly sent: number;
  readonly taken: number;
  /** Events that the follower has received. */
  readonly events: number;
  /** Orders that were taken and that the follower has not received. */
  readonly missed: number;
  /** Events, and orders, that the follower has received more than once. */
  readonly twice: number;
  /** Events that came after one with a greater sequence. */
  readonly disordered: number;
}

/** Seconds of load whose orders are made at a time. */
const ROUND_S = 3;
const ANSWER_WITHIN_MS = 10_000;
const WITHIN_MS = 600_000;
const DOWN_MS = 500;
/** The follower's longest life after its first event; its lives are spread evenly from 0 to this. */
const LIFE_MS = 400;
const NO_NODE = 'http://127.0.0.1:9';

/** Runs it, on embedded stores. */
export async function runFollower({ kills, perSecond }: FollowerRun): Promise<FollowerReport> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-follower-'));
  const file = join(dataDir, 'followed.txt');
  const key = await makeFastKey(dataDir);
  const orders = await startRestartable('orders', { ETH_RPC_URL: NO_NODE, DATA_DIR: dataDir });
  const urls = { BALANCE_URL: orders.url, TOKENS_URL: orders.url, ORDERS_URL: orders.url };
  const settings = { ...urls, DATA_DIR: dataDir, SECRETS_KEY: embeddedSecret(dataDir) };
  const gateway = await startRestartable('gateway', settings);
  const start = (): ChildProcess => startFollower(file, gateway.url, key);
  const ending = new AbortController();
  try {
    const load = { key, perSecond, gateway: gateway.url };
    const sending = sendUntil(ending.signal, load);
    const services = [orders, gateway] as const;
    let serviceKills = 0;
    const killService = (): Promise<void> =>
      services[serviceKills++ % services.length]!.killAndRestart(DOWN_MS);
    for (let at = 0; at < kills; at++) {
      const before = sizeOf(file);
      const follower = start();
      let restarted: Promise<void> | undefined;
      try {
        await until('the follower has an event', () => sizeOf(file) > before, WITHIN_MS);
        // One follower outlives a service, the next but one dies beside it.
        if (at % 4 === 1) await killService();
        if (at % 4 === 3) restarted = killService();
        await sleep((LIFE_MS * at) / kills);
      } finally {
        await killFollower(follower);
      }
      await restarted;
    }
    ending.abort();
    const { sent, taken } = await sending;
    const last = start();
    const missing = (): number => {
      const followed = new Set(linesOf(file).map(({ order }) => order));
      return taken.filter((id) => !followed.has(id)).length;
    };
    await until('the follower has all', () => missing() === 0, WITHIN_MS).catch(() => undefined);
    await killFollower(last);
    return { kills, serviceKills, sent, taken: taken.length, missed: missing(), ...countsOf(linesOf(file)) };
  } finally {
    ending.abort();
    await gateway.end();
    await orders.end();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Load {
  readonly gateway: string;
  readonly key: string;
  readonly perSecond: number;
}

async function sendUntil(ended: AbortSignal, { gateway, key, perSecond }: Load) {
  const taken: string[] = [];
  let sent = 0;
  for (let series = 1; !ended.aborted; series++) {
    const orders = await makeManyOrders(ROUND_S * perSecond, series);
    const outcome = await sendSteadily({
      ...{ gateways: [gateway], key, orders, perSecond },
      timeoutMs: ANSWER_WITHIN_MS,
    });
    sent += orders.length;
    taken.push(...outcome.taken.keys());
  }
  return { sent, taken };
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

function countsOf(lines: readonly FollowedLine[]): Pick<FollowerReport, 'events' | 'twice' | 'disordered'> {
  const sequences = lines.map(({ event }) => Number(event.slice(event.lastIndexOf(':') + 1)));
  const distinct = (of: readonly string[]): number => new Set(of).size;
  const twice =
    2 * lines.length - distinct(lines.map(({ event }) => event)) - distinct(lines.map(({ order }) => order));
  const disordered = sequences.filter((one, at) => at > 0 && one <= sequences[at - 1]!).length;
  return { events: lines.length, twice, disordered };
}
