/**
 * Indexing against raw eth_getLogs of the same ranges, on a chain full of transfers, with memory and event
 * loop.
 */
import { startAnvil } from '@hindsight/devchain/anvil.ts';
import { CHAIN } from '@hindsight/devchain/world.ts';
import { createJsonRpcNode } from '@hindsight/chain/rpc/json-rpc.ts';
import { carriedJsonRpc } from '@hindsight/chain/test/support/carried-json-rpc.ts';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { sendOne } from '@hindsight/chain/rpc/node.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { openTokenIndex, startIndexing } from '@hindsight/tokens/service.ts';
import { id, toQuantity } from 'ethers';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOGS_PER_BLOCK, mineBusyBlocks } from '../../../tests/support/busy-chain.ts';

const BLOCKS = 1_600;
/** Blocks with about as many logs as the service requests at a time. */
const RANGE = 3;
const IN_FLIGHT = 4;
const ROUNDS = 5;
const TOPICS = [
  id('Transfer(address,address,uint256)'),
  id('TransferSingle(address,address,address,uint256,uint256)'),
  id('TransferBatch(address,address,address,uint256[],uint256[])'),
];

interface Round {
  readonly logs: number;
  readonly seconds: number;
}

async function readRaw(url: string, last: number): Promise<Round> {
  const node = createJsonRpcNode({ url });
  const begun = performance.now();
  let next = CHAIN.story as number;
  let logs = 0;
  const worker = async (): Promise<void> => {
    for (let from = next; from <= last; from = next) {
      next = from + RANGE;
      const filter = {
        fromBlock: toQuantity(from),
        toBlock: toQuantity(Math.min(last, next - 1)),
        topics: [TOPICS],
      };
      const found = await sendOne(node, 'eth_getLogs', [filter], { timeoutMs: 20_000 });
      logs += (found as unknown[]).length;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  const seconds = (performance.now() - begun) / 1000;
  await node.close();
  return { logs, seconds };
}

async function index(url: string, last: number, dataDir: string): Promise<Round> {
  const logger = createLogger({ name: 'bench', level: 'silent' });
  const lifecycle = createLifecycle(logger);
  const telemetry = createTelemetry();
  const tokens = await openTokenIndex(ETH_MAINNET, { dataDir }, lifecycle);
  const node = carriedJsonRpc({ url }, ETH_MAINNET);
  lifecycle.onStop('node', () => node.close());
  const begun = performance.now();
  startIndexing({
    index: tokens,
    network: ETH_MAINNET,
    node,
    logger,
    telemetry,
    lifecycle,
    clock: systemClock,
    ids: randomIds,
    settings: { fromBlock: CHAIN.story, inFlight: IN_FLIGHT, firstBlocks: RANGE, maxBlocks: RANGE },
  });
  while (((await tokens.checkpoint())?.number ?? 0) < last) await sleep(5);
  const seconds = (performance.now() - begun) / 1000;
  await lifecycle.shutdown('indexed');
  await telemetry.stop();
  return { logs: 0, seconds };
}

/** Measures and prints. `freshFolder` makes an empty folder. */
export async function indexChain(freshFolder: () => string): Promise<void> {
  const chain = await startAnvil({ host: '127.0.0.1', port: 0, log: () => undefined });
  try {
    await mineBusyBlocks(chain.url, BLOCKS);
    const last = CHAIN.story + BLOCKS - 64;
    const blocks = last - CHAIN.story + 1;
    const ratios: number[] = [];
    const p99s: number[] = [];
    const most: number[] = [];
    const heaps: number[] = [];
    let line = '';
    for (let round = 0; round <= ROUNDS; round++) {
      // Measuring costs processor time, so it runs during both.
      const delays = monitorEventLoopDelay({ resolution: 1 });
      delays.enable();
      const raw = await readRaw(chain.url, last);
      if (raw.logs < (BLOCKS - 64) * LOGS_PER_BLOCK) throw new Error(`only ${raw.logs} logs`);
      delays.reset();
      const indexed = await index(chain.url, last, freshFolder());
      delays.disable();
      p99s.push(delays.percentile(99) / 1e6);
      most.push(delays.max / 1e6);
      heaps.push(process.memoryUsage().heapUsed / 2 ** 20);
      if (round > 0) ratios.push(raw.seconds / indexed.seconds);
      const rates = `${Math.round(blocks / indexed.seconds)} blocks/s, ${Math.round(raw.logs / indexed.seconds)} logs/s`;
      line = `${rates}; raw eth_getLogs ${Math.round(raw.logs / raw.seconds)} logs/s`;
    }
    const median = ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 0;
    console.log(
      `indexing: ${line}; ratio ${median.toFixed(2)} (median of ${ROUNDS}: ${ratios.map((r) => r.toFixed(2)).join(' ')})`,
    );
    const list = (values: readonly number[]): string => values.map((value) => value.toFixed(1)).join(' ');
    console.log(`event loop of the indexing process, ms, by round: p99 ${list(p99s)}; most ${list(most)}`);
    console.log(`heap after each round, MiB: ${heaps.map((heap) => heap.toFixed(0)).join(' ')}`);
  } finally {
    await chain.stop();
  }
}
