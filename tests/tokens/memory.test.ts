import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startEmptyChain, type Anvil } from '@hindsight/devchain/anvil.ts';
import { CHAIN } from '@hindsight/devchain/world.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOGS_PER_BLOCK, mineBusyBlocks } from '../support/busy-chain.ts';
import { runService } from '../support/service-process.ts';
import { startTokens, type TokensService } from '../support/tokens-service.ts';

const BLOCKS = 900;
/** Most memory that the process may keep; the events that it reads are several times as much, as JSON. */
const HEAP_MIB = 80;
const BYTES_PER_LOG = 600;

describe('While a long chain is indexed', () => {
  let chain: Anvil;
  let list: TokensService;
  const folder = mkdtempSync(join(tmpdir(), 'tokens-memory-'));
  beforeAll(async () => {
    chain = await startEmptyChain();
    await mineBusyBlocks(chain.url, BLOCKS);
    list = await startTokens({ dataDir: folder });
  });
  afterAll(async () => {
    await list.stop();
    await chain.stop();
    rmSync(folder, { recursive: true });
  });

  it(`memory stays within ${HEAP_MIB} MiB, and another instance goes on serving`, async () => {
    expect((BLOCKS * LOGS_PER_BLOCK * BYTES_PER_LOG) / 2 ** 20).toBeGreaterThan(3 * HEAP_MIB);
    const finalized = CHAIN.story + BLOCKS - 64;
    // The process would run out of memory if it kept its input.
    const indexer = await runService('tokens', {
      ETH_RPC_URL: chain.url,
      DATA_DIR: folder,
      TOKENS_FROM_BLOCK: String(CHAIN.story),
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
    });
    const statuses = new Set<number>();
    const reached = list.index.checkpoint.bind(list.index);
    const deadline = Date.now() + 500_000;
    while (((await reached())?.number ?? 0) < finalized && Date.now() < deadline) {
      statuses.add((await list.app.inject('/v1/eth-mainnet/token')).statusCode);
      // A busy process may close a connection that was idle; one that has died does not end with 0 below.
      const answer = await fetch(`${indexer.url}/v1/eth-mainnet/token`).catch(() => undefined);
      if (answer !== undefined) statuses.add(answer.status);
    }
    expect(await indexer.end('SIGTERM')).toBe(0);
    expect([...statuses]).toEqual([200]);
    expect((await reached())?.number).toBe(finalized);
  });
});
