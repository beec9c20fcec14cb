/**
 * A process with a proxy to a node: node URL and delay in milliseconds as arguments, and optionally the only
 * carrier that it lets through.
 */
import type { CarrierName } from '@hindsight/chain/state/multicall/carriers/carrier.ts';
import { startNodeProxy } from '@hindsight/chain/test/support/node-proxy.ts';

const [nodeUrl = '', delayMs = '0', only] = process.argv.slice(2);
const proxy = await startNodeProxy(nodeUrl, only as CarrierName | undefined);
proxy.delayMs = Number(delayMs);
console.log(`it listens at ${proxy.url}`);
