/** Latency of a page while a busy chain is indexed, at another instance and at the indexing one. */
import { startAnvil } from '@hindsight/devchain/anvil.ts';
import { CHAIN } from '@hindsight/devchain/world.ts';
import { mineBusyBlocks } from '../../../tests/support/busy-chain.ts';
import { load, report, type LoadResult } from '../load.ts';
import { startService, type ServiceProcess } from '../service-process.ts';

const BLOCKS = 1_200;
const REQUESTS = 2_000;

/** Measures and prints. `freshFolder` makes an empty folder. */
export async function serveBeside(freshFolder: () => string): Promise<void> {
  const chain = await startAnvil({ host: '127.0.0.1', port: 0, log: () => undefined });
  const start = (dataDir: string, indexing: 'on' | 'off'): Promise<ServiceProcess> =>
    startService('tokens', {
      ETH_RPC_URL: chain.url,
      DATA_DIR: dataDir,
      TOKENS_FROM_BLOCK: String(CHAIN.story),
      TOKENS_INDEX: indexing,
    });
  const shared = freshFolder();
  const server = await start(shared, 'off');
  try {
    await mineBusyBlocks(chain.url, BLOCKS);
    await page(server.url);
    const idle = await page(server.url);
    report('a page, nothing indexed meanwhile', idle);
    const beside = await start(shared, 'on');
    report('a page while another instance indexes', await page(server.url), idle);
    await beside.stop();
    const alone = await start(freshFolder(), 'on');
    report('a page of the instance that indexes', await page(alone.url), idle);
    await alone.stop();
  } finally {
    await server.stop();
    await chain.stop();
  }
}

function page(url: string): Promise<LoadResult> {
  const path = '/v1/eth-mainnet/token';
  return load({ url, connections: 1, requests: REQUESTS, request: () => ({ method: 'GET', path }) });
}
