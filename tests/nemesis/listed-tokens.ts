/** The tokens of the dev chain by its own logs, as the list must have them. */
import { ask, blockTag } from '@hindsight/devchain/client.ts';
import { CHAIN, TOKENS, type WorldToken } from '@hindsight/devchain/world.ts';
import { id } from 'ethers';
import type { ListedToken } from './questions.ts';

const MOVES = [
  'Transfer(address,address,uint256)',
  'TransferSingle(address,address,address,uint256,uint256)',
  'TransferBatch(address,address,address,uint256[],uint256[])',
].map(id);

/** Those with an event up to the finalized block, by the first of them and then by address. */
export async function listedTokens(url: string): Promise<readonly ListedToken[]> {
  const filter = { topics: [MOVES], fromBlock: blockTag(CHAIN.genesis), toBlock: 'finalized' };
  const logs = (await ask(url, 'eth_getLogs', filter)) as { address: string; blockNumber: string }[];
  const first = new Map<string, number>();
  for (const { address, blockNumber } of logs) {
    const token = address.toLowerCase();
    first.set(token, Math.min(first.get(token) ?? Infinity, Number(blockNumber)));
  }
  return Object.values(TOKENS)
    .flatMap(({ address, standard }: WorldToken): ListedToken[] => {
      const block = first.get(address.toLowerCase());
      return block === undefined
        ? []
        : [{ token_address: address, block_height: block, token_type: standard }];
    })
    .sort(
      (one, other) =>
        one.block_height - other.block_height ||
        (one.token_address.toLowerCase() < other.token_address.toLowerCase() ? -1 : 1),
    );
}
