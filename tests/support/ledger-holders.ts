/** The holders of a token by the dev chain's ledger. */
import type { Ledger } from '@hindsight/devchain/ledger.ts';

/** Those who had some of a token after a block, or of one id of an ERC-1155, in the order of addresses. */
export function holdersAt(
  ledger: Ledger,
  token: string,
  block: number,
  id?: bigint,
): readonly (readonly [holder: string, amount: bigint])[] {
  const known = new Set<string>();
  for (const entry of ledger.entries) {
    if (entry.kind !== 'balance' && entry.kind !== 'item') continue;
    const ofId = entry.kind === 'item' ? entry.id : undefined;
    if (entry.token === token && ofId === id) known.add(entry.holder);
  }
  const amountOf = (holder: string): bigint =>
    id === undefined ? ledger.balanceAt(token, holder, block) : ledger.itemAt(token, holder, id, block);
  return [...known]
    .map((holder) => [holder, amountOf(holder)] as const)
    .filter(([, amount]) => amount > 0n)
    .sort(([one], [other]) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1));
}
