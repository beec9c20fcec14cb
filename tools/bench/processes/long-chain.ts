/** A process with a chain as long as mainnet's; the argument is the delay of each answer in milliseconds. */
import { startLongChain } from '@hindsight/chain/test/support/long-chain.ts';
import { startNodeProxy } from '@hindsight/chain/test/support/node-proxy.ts';

const [delayMs = '0'] = process.argv.slice(2);
const chain = await startLongChain(20_000_000, `0x${'11'.repeat(20)}`);
const proxy = await startNodeProxy(chain.url);
proxy.delayMs = Number(delayMs);
console.log(`it listens at ${proxy.url}`);
process.on('SIGUSR2', () => console.log(`${chain.requests()} requests`));
