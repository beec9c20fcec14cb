/** The protocol's own contracts, whose code is in the SDK's package, on a dev chain. */
import { PERMIT2 } from '@hindsight/chain/tokens/permit2.ts';
import { ask } from '@hindsight/devchain/client.ts';
import { sendAndMine } from '@hindsight/devchain/control.ts';
import { concat, toBeHex, zeroPadValue } from 'ethers';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A reactor: its code follows from Permit2's address and its owner's. */
interface Placed {
  readonly sdkFolder: string;
  readonly contract: string;
  readonly address: string;
  /** Makes it, and owns it. */
  readonly from: string;
}

/** Slots of storage that a constructor writes at most. */
const SLOTS = 4;

/** Puts a reactor at an address, with its storage. */
export async function placeContract(
  url: string,
  { sdkFolder, contract, address, from }: Placed,
): Promise<void> {
  const data = concat([codeOf(sdkFolder, contract), zeroPadValue(PERMIT2, 32), zeroPadValue(from, 32)]);
  const { contractAddress } = await sendAndMine(url, { from, data });
  await ask(url, 'anvil_setCode', address, await ask(url, 'eth_getCode', contractAddress, 'latest'));
  for (let slot = 0; slot < SLOTS; slot++) {
    const value = await ask(url, 'eth_getStorageAt', contractAddress, toBeHex(slot), 'latest');
    await ask(url, 'anvil_setStorageAt', address, toBeHex(slot, 32), value);
  }
}

/** The init code in a contract's factory: its one long hexadecimal text. */
function codeOf(sdkFolder: string, contract: string): string {
  const file = `node_modules/@uniswap/uniswapx-sdk/dist/cjs/src/contracts/factories/${contract}__factory.js`;
  const texts = readFileSync(join(sdkFolder, file), 'utf8').match(/"0x60[0-9a-f]{1000,}"/g) ?? [];
  if (texts.length !== 1) throw new Error(`${contract} has no init code`);
  return texts[0].slice(1, -1);
}
