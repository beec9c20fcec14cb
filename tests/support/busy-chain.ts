/** A chain full of Transfer events: as many a block as mainnet has, or more. */
import { ask } from '@hindsight/devchain/client.ts';
import { CHAIN } from '@hindsight/devchain/world.ts';
import { getCreateAddress, id, toQuantity } from 'ethers';

const CALLS_PER_BLOCK = 4;
const LOGS_PER_CALL = 125;
const EMITTERS = 20;
const MAKER = '0x00000000000000000000000000000000000a11ce';

/** The events that each block has. */
export const LOGS_PER_BLOCK = CALLS_PER_BLOCK * LOGS_PER_CALL;

/** Code that emits this many Transfers in a loop, and stops. */
const TRANSFER = id('Transfer(address,address,uint256)').slice(2);
const LOOP = `60${LOGS_PER_CALL.toString(16)}5b600160007f${TRANSFER}60206000a36001900380600257${'00'}`;

/** Mines this many blocks on a fresh anvil. The first one also deploys the contracts that emit. */
export async function mineBusyBlocks(url: string, blocks: number): Promise<void> {
  await ask(url, 'anvil_setLoggingEnabled', false);
  const size = (LOOP.length / 2).toString(16).padStart(2, '0');
  let nonce = 0;
  const send = (transaction: object): Promise<unknown> =>
    ask(url, 'eth_sendTransaction', {
      from: MAKER,
      nonce: toQuantity(nonce++),
      gas: toQuantity(500_000),
      gasPrice: '0x0',
      ...transaction,
    });
  const emitters = Array.from({ length: EMITTERS }, (_, i) => getCreateAddress({ from: MAKER, nonce: i }));
  for (const _ of emitters) await send({ data: `0x60${size}600c60003960${size}6000f3${LOOP}` });
  for (let block = 0; block < blocks; block++) {
    for (let call = 0; call < CALLS_PER_BLOCK; call++)
      await send({ to: emitters[(block * CALLS_PER_BLOCK + call) % EMITTERS], data: '0x' });
    await ask(url, 'evm_mine', { timestamp: CHAIN.storyTime + 12 * (block + 1) });
  }
}
