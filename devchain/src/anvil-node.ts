/** anvil as a DevNode: everything that only anvil can do is here. */
import { toQuantity } from 'ethers/utils';
import type { Genesis, PlannedBlock, PlannedTransaction } from './plan-format.ts';
import type { OrderedRpc } from './rpc.ts';
import { type DevNode, readHead } from './seed.ts';

/** Empty blocks in a row that are made by three requests together, not by one each. */
const LEAST_AT_ONCE = 4;

/** `rpc` must lead to an anvil that mines only on request and accepts any sender (anvil.ts starts it so). */
export function anvilNode(rpc: OrderedRpc): DevNode {
  return {
    begin: (genesis) => setState(rpc, genesis),
    make: (blocks) => makeBlocks(rpc, blocks),
    head: () => readHead(rpc),
  };
}

async function setState(rpc: OrderedRpc, { balances, nonces, code }: Genesis): Promise<void> {
  await Promise.all([
    // Its console output would only be discarded.
    rpc.call('anvil_setLoggingEnabled', false),
    ...[...balances].map(([address, wei]) => rpc.call('anvil_setBalance', address, toQuantity(wei))),
    ...[...nonces].map(([address, nonce]) => rpc.call('anvil_setNonce', address, toQuantity(nonce))),
    ...[...code].map(([address, bytes]) => rpc.call('anvil_setCode', address, bytes)),
  ]);
}

async function makeBlocks(rpc: OrderedRpc, blocks: readonly PlannedBlock[]): Promise<void> {
  for (let at = 0; at < blocks.length;) {
    await makeBlock(rpc, blocks[at]!);
    at += 1;
    const { count, seconds } = quietRun(blocks, at);
    if (count < LEAST_AT_ONCE) continue;
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

async function makeBlock(rpc: OrderedRpc, block: PlannedBlock): Promise<void> {
  for (const transaction of block.transactions) await rpc.call('eth_sendTransaction', unsigned(transaction));
  await rpc.call('evm_mine', { timestamp: block.timestamp });
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
