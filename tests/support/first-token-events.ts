/** The list of tokens as a node's own logs give it: its contracts, their first blocks, and its order. */
import { ask, blockTag } from '@hindsight/devchain/client.ts';
import { id } from 'ethers';

const TOPICS = [
  'Transfer(address,address,uint256)',
  'TransferSingle(address,address,address,uint256,uint256)',
  'TransferBatch(address,address,address,uint256[],uint256[])',
].map(id);

/** Contracts with such an event from one block to another, lower-cased, each with the block of its first. */
export async function firstTokenEvents(
  url: string,
  from: number,
  to: number,
): Promise<ReadonlyMap<string, number>> {
  const filter = { fromBlock: blockTag(from), toBlock: blockTag(to), topics: [TOPICS] };
  const logs = (await ask(url, 'eth_getLogs', filter)) as { address: string; blockNumber: string }[];
  const first = new Map<string, number>();
  for (const { address, blockNumber } of logs)
    if (!first.has(address.toLowerCase())) first.set(address.toLowerCase(), Number(blockNumber));
  return first;
}

interface Entry {
  readonly token_address: string;
  readonly block_height: number;
}

/** Compares entries as the list sorts them: by block, then by address. */
export function inListOrder(one: Entry, other: Entry): number {
  const [a, b] = [one, other].map(({ token_address: address }) => address.toLowerCase()) as [string, string];
  return one.block_height - other.block_height || (a < b ? -1 : 1);
}
