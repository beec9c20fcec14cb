/** A proxy before a node, as a process of its own: node URL and delay in milliseconds as arguments. */
import { startNodeProxy } from '@hindsight/chain/test/support/node-proxy.ts';

const [nodeUrl = '', delayMs = '0'] = process.argv.slice(2);
const proxy = await startNodeProxy(nodeUrl);
proxy.delayMs = Number(delayMs);
console.log(`it listens at ${proxy.url}`);
