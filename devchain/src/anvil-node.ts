/** anvil as a DevNode: everything that only anvil can do is here. */
import { toQuantity } from 'ethers/utils';
import type { Genesis, PlannedBlock, PlannedTransaction } from './plan-format.ts';
import type { OrderedRpc } from './rpc.ts';
import { type DevNode, readHead } from './seed.ts';

/** `rpc` must lead to an anvil that mines only on request and accepts any sender (anvil.ts starts it so). */
export function anvilNode(rpc: OrderedRpc): DevNode {
  return {
    begin: (genesis) => setState(rpc, genesis),
    make: (block) => makeBlock(rpc, block),
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
