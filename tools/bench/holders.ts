/** The index of holders: a walk, inserts, and lists and a file of a token with a million holders; on each engine. */
import { startAnvil } from '@hindsight/devchain/anvil.ts';
import { ask } from '@hindsight/devchain/client.ts';
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, TOKENS } from '@hindsight/devchain/world.ts';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { openNode } from '@hindsight/chain/pool/open-node.ts';
import { ALL_TOKENS, createHolders, openHolderIndex, type HolderIndex } from '@hindsight/holders/service.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOGS_PER_BLOCK, mineBusyBlocks } from '../../tests/support/busy-chain.ts';
import { median } from '../../tests/support/steady-load.ts';
import { startChdb } from '../servers/chdb.ts';
import { isInstalled } from '../servers/install.ts';
import { watchMemory } from './process-memory.ts';
import { startScript, startService } from './service-process.ts';

/** With those of the dev chain no more than a million, the most that a list of the largest reads. */
const HOLDERS = 980_000;
/** As many as the walk writes at once. */
const POINTS_OF_RANGE = 20_000;
const BLOCKS = 400;
const PART = 10_000;
const LARGEST = 100;
const CACHED_ROUNDS = 20;
/** For an answer on a busy machine. */
const WITHIN_MS = 120_000;
const TOKEN = TOKENS.usdc.address;
/** Code of a token of which each account has as much as the last six bytes of its address say. */
const CODE_BY_ADDRESS = '0x60043565ffffffffffff1660005260206000f3';
/** The block at which the token has that code. */
const BLOCK = CHAIN.head + 1;
const PATH = `/v1/eth-mainnet/token/holders?token_address=${TOKEN}`;
const FILE = `/v1/eth-mainnet/token/holders/export?token_address=${TOKEN}`;
const MIB = 1024 * 1024;

interface Engine {
  readonly name: string;
  readonly clickhouseUrl: string | undefined;
  readonly dataDir: string;
  bytes(): number;
  stop(): Promise<void>;
}

/** Runs the benchmark, and prints a line for each figure. */
export async function run(): Promise<void> {
  const engines = [duckdb];
  if (await isInstalled('chdb')) engines.push(chdb);
  else console.log('chDB is not installed (npm run servers -- install chdb): DuckDB alone');
  for (const open of engines) {
    const engine = await open();
    console.log(`\n# ${engine.name}`);
    await lists(engine);
    await engine.stop();
    const another = await open();
    await walk(another);
    await another.stop();
  }
}

async function duckdb(): Promise<Engine> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-holders-'));
  return {
    name: 'DuckDB, in the process',
    clickhouseUrl: undefined,
    dataDir,
    bytes: () => bytesOf(dataDir),
    stop: async () => rmSync(dataDir, { recursive: true }),
  };
}

async function chdb(): Promise<Engine> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-holders-'));
  const server = await startChdb({ dataDir });
  return {
    name: 'ClickHouse’s engine (chDB), over HTTP',
    clickhouseUrl: server.url,
    dataDir,
    bytes: () => bytesOf(dataDir),
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** An engine that merges its files removes some meanwhile. */
function bytesOf(path: string): number {
  const own = statSync(path, { throwIfNoEntry: false });
  if (!own?.isDirectory()) return own?.size ?? 0;
  try {
    return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return 0;
  }
}

const holder = (i: number): string => `0x${(0xabc_000_000 + i).toString(16).padStart(40, '1')}`;

/** Inserts nearly a million holders, and lists them at a block behind the dev chain's story; the service is a process of its own. */
async function lists(engine: Engine): Promise<void> {
  const devchain = await startDevchain();
  // Else the inserted holders would have nothing, and the lists no rows.
  await ask(devchain.url, 'anvil_setCode', TOKEN, CODE_BY_ADDRESS);
  await ask(devchain.url, 'anvil_mine', '0x1');
  const proxy = await startScript('tools/bench/processes/node-proxy.ts', [devchain.url, '0']);
  const balance = await startService('balance', { ETH_RPC_URL: proxy.url });
  const world = await openWorld(engine, proxy.url, [TOKEN.toLowerCase()]);
  await insert(world.index, devchain.url);
  await world.stop();
  console.log(`on disk: ${(engine.bytes() / HOLDERS).toFixed(1)} bytes a row`);

  const service = await startService('holders', {
    ETH_RPC_URL: proxy.url,
    BALANCE_URL: balance.url,
    INDEX_TOKENS: TOKEN,
    INDEX_FROM: String(CHAIN.story),
    INDEX_CHECKS_PER_MINUTE: '0',
    DATA_DIR: engine.dataDir,
    // As in deploy/.
    NODE_OPTIONS: '--max-semi-space-size=8',
    REQUEST_TIMEOUT_MS: String(WITHIN_MS),
    ...(engine.clickhouseUrl === undefined ? {} : { CLICKHOUSE_URL: engine.clickhouseUrl }),
  });
  const answered = async (path: string, init?: RequestInit): Promise<Response> => {
    const response = await fetch(service.url + path, init);
    if (response.status !== 200) throw new Error(await response.text());
    return response;
  };
  const get = async (query: string): Promise<string> => (await answered(PATH + query)).text();
  const memory = watchMemory(service);
  const used = (): string => `${memory.most().toFixed(0)} MiB (RSS) at the most`;
  console.log(`the service before any question: ${used()}`);
  const opened = performance.now();
  await get(`&block_height=${BLOCK}&limit=1`);
  console.log(`the first question of its processes: ${(performance.now() - opened).toFixed(0)} ms`);
  const begun = performance.now();
  let [row, first, read] = [0, 0, 0];
  let part: Promise<Response> | undefined = answered(`${PATH}&block_height=${BLOCK}&limit=${PART}`);
  while (part !== undefined) {
    const answer: Response = await part;
    const next = /^<(.*)>/.exec(answer.headers.get('link') ?? '')?.[1];
    // As the client does with `ahead`: sent while this one is being read.
    part = next === undefined ? undefined : answered(next);
    let lines = '';
    for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
      lines += piece;
      if (row === 0 && lines.includes('"record":"holder"')) row = performance.now() - begun;
    }
    first ||= performance.now() - begun;
    read += (JSON.parse(lines.trimEnd().split('\n').at(-1)!) as { readonly read: number }).read;
  }
  const seconds = (performance.now() - begun) / 1_000;
  console.log(
    `all ${read.toLocaleString('en')} in parts of ${PART}: ${seconds.toFixed(1)} s, first row ${row.toFixed(0)} ms, ` +
      `first part ${first.toFixed(0)} ms, ${used()}`,
  );

  const largest = async (): Promise<number> => {
    const at = performance.now();
    await get(`&block_height=${BLOCK}&order=balance&limit=${LARGEST}`);
    return performance.now() - at;
  };
  const uncached = await largest();
  const cached: number[] = [];
  for (let round = 0; round < CACHED_ROUNDS; round++) cached.push(await largest());
  console.log(
    `largest ${LARGEST}: ${(uncached / 1_000).toFixed(1)} s at first, then ${median(cached).toFixed(0)} ms, ${used()}`,
  );

  const made = performance.now();
  const file = await answered(`${FILE}&block_height=${BLOCK}`, { method: 'POST' });
  const { holders, next } = JSON.parse(file.headers.get('x-holders-facts') ?? '') as Record<string, unknown>;
  if (next !== null) throw new Error(`the file ends with ${String(holders)} holders`);
  const { size } = await file.blob();
  console.log(
    `a file of ${Number(holders).toLocaleString('en')}: ${((performance.now() - made) / 1_000).toFixed(1)} s, ` +
      `${(size / MIB).toFixed(1)} MiB, ${used()}`,
  );
  memory.stop();
  await service.stop();
  await balance.stop();
  await proxy.stop();
  await devchain.stop();
}

async function insert(index: HolderIndex, url: string): Promise<void> {
  const track = TOKEN.toLowerCase();
  const lastRange = HOLDERS / POINTS_OF_RANGE - 1;
  const hashAt = async (height: number): Promise<string> => {
    const block = await ask(url, 'eth_getBlockByNumber', `0x${height.toString(16)}`, false);
    return (block as { readonly hash: string }).hash;
  };
  let base = await index.position(track);
  let took = 0;
  for (let range = 0; range <= lastRange; range++) {
    const block = CHAIN.story + range;
    const points = Array.from({ length: POINTS_OF_RANGE }, (_, i) => ({
      token: track,
      holder: holder(range * POINTS_OF_RANGE + i),
      id: null,
      block,
    }));
    const touched = { from: block, to: block, hash: await hashAt(block), points, approvals: [] };
    const begun = performance.now();
    base = await index.append(track, base, touched);
    took += performance.now() - begun;
  }
  console.log(
    `inserted: ${Math.round(HOLDERS / (took / 1_000)).toLocaleString('en')} rows/s, each durable with its position`,
  );
}

/** Walks a chain full of transfers. */
async function walk(engine: Engine): Promise<void> {
  const chain = await startAnvil({ host: '127.0.0.1', port: 0, log: () => undefined });
  await mineBusyBlocks(chain.url, BLOCKS);
  const world = await openWorld(engine, chain.url, [ALL_TOKENS]);
  const last = CHAIN.story + BLOCKS - 64;
  const begun = performance.now();
  const unasked = { ask: () => Promise.reject(new Error('no balance should be asked for')) };
  createHolders({
    ...world.deps,
    balance: unasked,
    settings: { fromBlock: CHAIN.story, firstBlocks: 3, maxBlocks: 3 },
  });
  while (((await world.index.position(ALL_TOKENS))?.number ?? 0) < last) await sleep(10);
  const seconds = (performance.now() - begun) / 1_000;
  const logs = (last - CHAIN.story) * LOGS_PER_BLOCK;
  console.log(`walked, with the node’s part: ${Math.round(logs / seconds).toLocaleString('en')} logs/s`);
  await world.stop();
  await chain.stop();
}

async function openWorld({ dataDir, clickhouseUrl }: Engine, nodeUrl: string, tracks: readonly string[]) {
  const logger = createLogger({ name: 'bench', level: 'silent' });
  const lifecycle = createLifecycle(logger);
  const bounds = { memoryMb: 256, threads: 2 };
  const index = await openHolderIndex(ETH_MAINNET, { dataDir, clickhouseUrl, bounds }, lifecycle);
  const node = await openNode({ urls: [nodeUrl], timeoutMs: 60_000 }, ETH_MAINNET, { logger, lifecycle });
  const process = {
    logger,
    lifecycle,
    clock: systemClock,
    ids: randomIds,
    telemetry: createTelemetry('bench'),
  };
  return {
    index,
    deps: { ...process, index, node, tracks, network: ETH_MAINNET },
    stop: () => lifecycle.shutdown('measured'),
  };
}
