/** Memory of the balance service over many distinct questions. */
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { TOKENS } from '@hindsight/devchain/world.ts';
import { load } from './load.ts';
import { startService, type ServiceProcess } from './service-process.ts';

const CONNECTIONS = 50;
const QUESTIONS = 200_000;
const EVERY = 20_000;
/** All of them finalized, so that every answer is cacheable. */
const FIRST_HEIGHT = 17_999_870;
const HEIGHTS = 200;
const ADDRESSES = [TOKENS.usdc, TOKENS.usdt, TOKENS.uni, TOKENS.weth, TOKENS.mkr].map(
  ({ address }) => address,
);
const REPORT_WITHIN_MS = 10_000;
const MIB = 1024 * 1024;

/** Every question is about a new holder; one in six is about ether. */
function pathOf(i: number): string {
  const holder = `0x${(0xabc_000_000 + i).toString(16).padStart(40, '1')}`;
  const when = `holder=${holder}&block_height=${FIRST_HEIGHT + (i % HEIGHTS)}`;
  const token = ADDRESSES[i % (ADDRESSES.length + 1)];
  return `/v1/eth-mainnet/balance/${token === undefined ? 'native?' : `single?token_address=${token}&`}${when}`;
}

/** Runs the benchmark and prints a line for every 20,000 questions. */
export async function run(): Promise<void> {
  const devchain = await startDevchain();
  const hook = new URL('processes/heap-report.ts', import.meta.url).href;
  const service = await startService('balance', {
    ETH_RPC_URL: devchain.url,
    NODE_OPTIONS: `--expose-gc --import=${hook}`,
  });
  console.log(`${QUESTIONS.toLocaleString('en')} distinct questions, the heap after a forced collection\n`);
  await report(service, 0);
  for (let asked = 0; asked < QUESTIONS; asked += EVERY) {
    const first = asked;
    const request = (i: number): { method: 'GET'; path: string } => ({
      method: 'GET',
      path: pathOf(first + i),
    });
    await load({ url: service.url, connections: CONNECTIONS, requests: EVERY, request });
    await report(service, asked + EVERY);
  }
  await service.stop();
  await devchain.stop();
}

async function report(service: ServiceProcess, asked: number): Promise<void> {
  const said = service.waitFor(/^heap (\d+) rss (\d+)$/m, REPORT_WITHIN_MS);
  process.kill(service.pid, 'SIGUSR2');
  const [, heap = '', rss = ''] = await said;
  const inMib = (bytes: string): string => (Number(bytes) / MIB).toFixed(1).padStart(7);
  console.log(
    `after ${asked.toLocaleString('en').padStart(7)} questions: heap ${inMib(heap)} MiB, process ${inMib(rss)} MiB`,
  );
}
