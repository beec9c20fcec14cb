/** Blocks of a node's chain, by height, hash and date, against the node's own headers. */
import { isDeepStrictEqual } from 'node:util';
import type { Network } from '@hindsight/chain/networks.ts';
import type { Chain, Header } from './inquiries.ts';
import { ANSWER_WITHIN_MS } from './service.ts';

const WORKERS = 8;

/** False answers of the service, for people to read. */
export async function faultsOfBlocks(
  service: string,
  network: Network,
  chain: Chain,
  asked: readonly Header[],
): Promise<string[]> {
  const faults: string[] = [];
  const waiting = asked.values();
  const worker = async (): Promise<void> => {
    for (const header of waiting) {
      for (const query of waysToName(chain, header)) {
        const path = `/v1/${network.name}/block?${new URLSearchParams(query).toString()}`;
        const response = await fetch(service + path, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
        const body: unknown = JSON.parse(await response.text());
        if (response.status !== 200 || !isDeepStrictEqual(body, recordOf(network, chain, header)))
          faults.push(`${path} → ${response.status} ${JSON.stringify(body)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  return faults;
}

/** A date names only the last of the blocks with its time. */
function waysToName(chain: Chain, { number, hash, timestamp }: Header): Record<string, string>[] {
  const isLast = chain.headers.get(number + 1)?.timestamp !== timestamp;
  const date = new Date(timestamp * 1_000).toISOString();
  return [{ block_height: String(number) }, { block_hash: hash }, ...(isLast ? [{ date }] : [])];
}

function recordOf({ name, chainId }: Network, chain: Chain, header: Header): Record<string, unknown> {
  return {
    network_name: name,
    chain_id: chainId,
    block_number: header.number,
    block_hash: header.hash,
    parent_hash: header.parentHash,
    date: new Date(header.timestamp * 1_000).toISOString(),
    finalized: header.number <= chain.finalized,
  };
}
