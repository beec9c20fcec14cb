import { MAX_TOKENS } from '@hindsight/api/units.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import { NATIVE } from '../domain/asset.ts';
import type { ChosenAssets } from '../domain/wallet-changes.ts';
import type { WalletReader } from './wallet-reader.ts';

/**
 * Chooses ether and the tokens that a wallet holds at either end of a range, as far as there is room. Items of an ERC-1155
 * have no single balance, and what comes and goes in between is not looked for.
 * @param holder EIP-55
 * @throws {NodeError}
 */
export async function chooseAssets(
  wallets: Pick<WalletReader, 'readHoldings'>,
  holder: string,
  { from, to }: { readonly from: Block; readonly to: Block },
  signal: AbortSignal,
): Promise<ChosenAssets> {
  const ends = await Promise.all(
    [to, from].map((block) => wallets.readHoldings(block, holder, undefined, signal)),
  );
  const held = ends.flatMap((holdings) => holdings.held.filter(({ tokenId }) => tokenId === null));
  const tokens = [...new Set(held.map(({ token }) => token))];
  const room = MAX_TOKENS - 1;
  const leftOut = tokens.slice(room);
  const isComplete = leftOut.length === 0 && ends.every((one) => one.searched.complete && one.next === null);
  return { assets: [NATIVE, ...tokens.slice(0, room)], leftOut, isComplete };
}
