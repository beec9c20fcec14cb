/** A chain full of Transfer events: as many a block as mainnet has, or more. */
import { ask } from '@hindsight/devchain/client.ts';
import { getCreateAddress, id, toQuantity } from 'ethers';

/** The events that each block has, of one call. */
export const LOGS_PER_BLOCK = 500;
const EMITTERS = 20;
const MAKER = '0x00000000000000000000000000000000000a11ce';

/** Code that emits this many Transfers in a loop, and stops. */
const TRANSFER = id('Transfer(address,address,uint256)').slice(2);
const LOOP = `61${LOGS_PER_BLOCK.toString(16).padStart(4, '0')}5b600160007f${TRANSFER}60206000a36001900380600357${'00'}`;

/** Mines this many blocks on a fresh anvil. The first one also deploys the contracts that emit. */
export async function mineBusyBlocks(url: string, blocks: number): Promise<void> {
  await ask(url, 'anvil_setLoggingEnabled', false);
  await ask(url, 'anvil_setBlockTimestampInterval', 12);
  const size = (LOOP.length / 2).toString(16).padStart(2, '0');
  let nonce = 0;
  const send = (transaction: object): Promise<unknown> =>
    ask(url, 'eth_sendTransaction', {
      from: MAKER,
      nonce: toQuantity(nonce++),
      gas: toQuantity(1_500_000),
      gasPrice: '0x0',
      ...transaction,
    });
  const emitters = Array.from({ length: EMITTERS }, (_, i) => getCreateAddress({ from: MAKER, nonce: i }));
  for (const _ of emitters) await send({ data: `0x60${size}600c60003960${size}6000f3${LOOP}` });
  for (let block = 0; block < blocks; block++) {
    await send({ to: emitters[block % EMITTERS], data: '0x' });
    await ask(url, 'anvil_mine', '0x1');
  }
}
