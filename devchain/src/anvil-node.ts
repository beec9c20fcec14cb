/** anvil as a DevNode: everything that only anvil can do is here. */
import { toQuantity } from 'ethers/utils';
import type { Question } from './client.ts';
import type { Genesis, PlannedBlock, PlannedTransaction } from './plan-format.ts';
import type { OrderedRpc } from './rpc.ts';
import { type DevNode, readHead } from './seed.ts';

/** Empty blocks in a row that are made by three requests together, not by one each. */
const LEAST_QUIET = 4;
/** Calls of one request; from 128 on, anvil 1.7.1 mines before it has taken all transactions. */
const AT_ONCE = 32;

/** `rpc` must lead to an anvil that mines only on request and accepts any sender (anvil.ts starts it so). */
export function anvilNode(rpc: OrderedRpc): DevNode {
  return {
    begin: (genesis) => setState(rpc, genesis),
    make: (blocks) => makeBlocks(rpc, blocks),
    head: () => readHead(rpc),
  };
}

async function setState(rpc: OrderedRpc, { balances, nonces, code }: Genesis): Promise<void> {
  await rpc.callAll([
    // Its console output would only be discarded.
    ['anvil_setLoggingEnabled', false],
    ...[...balances].map(([address, wei]): Question => ['anvil_setBalance', address, toQuantity(wei)]),
    ...[...nonces].map(([address, nonce]): Question => ['anvil_setNonce', address, toQuantity(nonce)]),
    ...[...code].map(([address, bytes]): Question => ['anvil_setCode', address, bytes]),
  ]);
}

async function makeBlocks(rpc: OrderedRpc, blocks: readonly PlannedBlock[]): Promise<void> {
  for (let at = 0; at < blocks.length;) {
    await makeBlock(rpc, blocks[at]!);
    at += 1;
    const { count, seconds } = quietRun(blocks, at);
    if (count < LEAST_QUIET) continue;
    await rpc.call('anvil_setBlockTimestampInterval', seconds);
    await rpc.call('anvil_mine', toQuantity(count));
    await rpc.call('anvil_removeBlockTimestampInterval');
    at += count;
  }
}

/** Number of blocks from an index on that are empty and come at the same distance, in seconds. */
function quietRun(blocks: readonly PlannedBlock[], from: number): { count: number; seconds: number } {
  const gap = (at: number): number => blocks[at]!.timestamp - blocks[at - 1]!.timestamp;
  let at = from;
  while (at < blocks.length && blocks[at]!.transactions.length === 0 && gap(at) === gap(from)) at += 1;
  return { count: at - from, seconds: at > from ? gap(from) : 0 };
}

/** anvil ends each call of a request before it begins the next one, unless there are more than a hundred. */
async function makeBlock(rpc: OrderedRpc, { transactions, timestamp }: PlannedBlock): Promise<void> {
  const calls: Question[] = transactions.map((one) => ['eth_sendTransaction', unsigned(one)]);
  calls.push(['evm_mine', { timestamp }]);
  for (let at = 0; at < calls.length; at += AT_ONCE) await rpc.callAll(calls.slice(at, at + AT_ONCE));
}

/** The senders are impersonated: we do not have the real deployers' keys. */
function unsigned({ from, nonce, to, data, value, gas }: PlannedTransaction): Record<string, string> {
  return {
    from,
    nonce: toQuantity(nonce),
    ...(to === null ? {} : { to }),
    data,
    value: toQuantity(value),
    gas: toQuantity(gas),
    // No fees, so that ether balances are exactly what was sent.
    gasPrice: '0x0',
  };
}
