import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNodeInFront, type NodeInFront, type RpcCall } from '../support/node-in-front.ts';
import { runService, type RunningService } from '../support/service-process.ts';
import { TokenChain } from '../support/token-chain.ts';

/** Longer than a process has to stop. */
const PATIENCE_MS = 60_000;

type CallFilter = (call: RpcCall) => boolean;

const forFinalized: CallFilter = ({ method, params }) =>
  method === 'eth_getBlockByNumber' && params[0] === 'finalized';
const forHeight: CallFilter = ({ method, params }) =>
  method === 'eth_getBlockByNumber' && params[0] !== 'finalized';
const forName: CallFilter = ({ method }) => method === 'eth_call';

describe('An indexer whose node no longer answers', () => {
  let chain: TokenChain;
  let node: NodeInFront;
  let indexer: RunningService | undefined;
  const folders: string[] = [];
  beforeAll(async () => {
    chain = await TokenChain.start();
    await chain.nameless();
    await chain.finalize();
  });
  beforeEach(async () => {
    node = await startNodeInFront(chain.url);
  });
  afterEach(async () => {
    await indexer?.end('SIGKILL');
    indexer = undefined;
    await node.close();
  });
  afterAll(async () => {
    await chain.stop();
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  /** Starts one that has listed the only token. */
  async function start(): Promise<RunningService> {
    const folder = mkdtempSync(join(tmpdir(), 'tokens-silent-'));
    folders.push(folder);
    const service = (indexer = await runService('tokens', {
      ETH_RPC_URL: node.url,
      ETH_RPC_TIMEOUT_MS: String(PATIENCE_MS),
      DATA_DIR: folder,
      TOKENS_FROM_BLOCK: String(chain.first),
      TOKENS_POLL_MS: '50',
    }));
    await until('the token is listed', async () => {
      const page = (await (await fetch(`${service.url}/v1/eth-mainnet/token`)).json()) as { total: number };
      return page.total === 1;
    });
    return service;
  }

  it.each([
    ['for the last finalized block', forFinalized, 0],
    ['for the block where the index ends', forHeight, 0],
    // An hour of blocks: a token without a name is looked at again.
    ['for the name of a token that had none', forName, 300],
  ])('stops cleanly while it waits %s', async (_what, question, laterBlocks) => {
    const service = await start();
    let unanswered = 0;
    node.rules.fate = (_request, calls) => {
      if (!calls.some(question)) return 'answer';
      unanswered += 1;
      return 'hang';
    };
    if (laterBlocks > 0) await chain.mine(laterBlocks);
    await until('the node is asked what it does not answer', async () => unanswered > 0);
    expect(await service.end('SIGTERM')).toBe(0);
  });
});
