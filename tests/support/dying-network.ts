/** Two networks under a steady load, one of whose nodes is killed: what the other's callers notice. */
import { CHAIN } from '@hindsight/devchain/world.ts';
import { type Dispatcher, Pool } from 'undici';
import { quantile, sendAtRate, statusOf } from './steady-load.ts';

/** The network that goes on, and the one whose node is killed. */
const SURVIVOR = 'eth-mainnet';
const VICTIM = 'base-mainnet';
/** Blocks that the dev chain and an empty chain both have. */
const BLOCKS = 150;
const TIMEOUT_MS = 20_000;
const CONNECTIONS = 200;

/** Answers about one network in one phase. */
export interface Answers {
  /** Number of answers by status; 0 for none. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Milliseconds from a question's time to its answer. */
  readonly p50: number;
  readonly p99: number;
}

/** Answers with both nodes alive, and with one. */
export interface DyingNetwork {
  readonly before: { readonly survivor: Answers; readonly victim: Answers };
  readonly after: { readonly survivor: Answers; readonly victim: Answers };
}

interface Run {
  /** The gateway. */
  readonly url: string;
  readonly key: string;
  /** Kills the node of `base-mainnet`. */
  readonly kill: () => void | Promise<void>;
  /** Questions a second about each network. */
  readonly perSecond: number;
  /** Of each phase. */
  readonly seconds: number;
  /** For each network; further questions wait for one. */
  readonly connections?: number;
  /** Asks a question. @returns the status of the answer, 0 for none; by default of the first one within 20 s */
  readonly ask?: Ask;
}

type Ask = (pool: Pool, request: Dispatcher.RequestOptions) => Promise<number>;

/** Asks about both, kills the node of one, and asks again. The first second of each phase is not measured before the kill. */
export async function killUnderLoad({
  url,
  key,
  kill,
  perSecond,
  seconds,
  connections = CONNECTIONS,
  ask = (pool, request) => statusOf(pool, request, TIMEOUT_MS),
}: Run): Promise<DyingNetwork> {
  const pools = [SURVIVOR, VICTIM].map(() => new Pool(url, { connections }));
  let asked = 0;
  const phase = async (length: number): Promise<DyingNetwork['before']> => {
    const [survivor, victim] = await Promise.all(
      [SURVIVOR, VICTIM].map((network, at) =>
        askSteadily({ pool: pools[at]!, ask, network, key, perSecond, seconds: length }, () => asked++),
      ),
    );
    return { survivor: survivor!, victim: victim! };
  };
  await phase(1);
  const before = await phase(seconds);
  await kill();
  const after = await phase(seconds);
  await Promise.all(pools.map((pool) => pool.destroy()));
  return { before, after };
}

interface Steady {
  readonly pool: Pool;
  readonly ask: Ask;
  readonly network: string;
  readonly key: string;
  readonly perSecond: number;
  readonly seconds: number;
}

/** Asks about holders that were not asked for before. */
async function askSteadily(
  { pool, ask, network, key, perSecond, seconds }: Steady,
  next: () => number,
): Promise<Answers> {
  const rate = { count: perSecond * seconds, perSecond };
  const { statuses, latencies } = await sendAtRate(rate, (): Promise<number> => {
    const n = next();
    const holder = `0x${n.toString(16).padStart(40, '1')}`;
    const path = `/v1/${network}/balance/native?holder=${holder}&block_height=${CHAIN.story + 1 + (n % BLOCKS)}`;
    return ask(pool, { method: 'GET', path, headers: { 'x-api-key': key } });
  });
  const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)];
  return { statuses: Object.fromEntries(statuses), p50, p99 };
}
