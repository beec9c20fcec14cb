/** The changes of several balances of one holder, in one list: the question, and what was read. */
import type { HolderAt } from './account.ts';
import type { Asset } from './asset.ts';
import type { BalanceChange, ChangesQuestion, ChangesReading } from './changes.ts';
import type { ReadBlock } from './pinned.ts';

/** Asks for a holder's changes of several assets after one block, up to another. */
export interface WalletChangesQuestion extends Omit<ChangesQuestion, 'token' | 'resolve'> {
  /** Each once; undefined for those of the holder's portfolio. */
  readonly assets: readonly Asset[] | undefined;
}

/** Assets of a portfolio, as many as a question may have. */
export interface ChosenAssets {
  /** Ether first, then what is held at the end, then what is held at the beginning. */
  readonly assets: readonly Asset[];
  /** Tokens that are held at either end, and for which there is no room, EIP-55. */
  readonly leftOut: readonly string[];
  /** True if no ERC-20 or ERC-721 token that is held at either end is missing. */
  readonly isComplete: boolean;
  /** True if all events were searched: the same ones are always chosen. */
  readonly isSearched: boolean;
}

export interface WalletChange {
  readonly asset: Asset;
  readonly change: BalanceChange;
}

export interface WalletChangesReading {
  readonly holder: HolderAt;
  /** Undefined where the question names its assets. */
  readonly chosen: ChosenAssets | undefined;
  /** In the order of the question: each has its token, and the promise made for it. */
  readonly assets: readonly { readonly asset: Asset; readonly reading: ChangesReading }[];
  readonly from: ReadBlock;
  readonly to: ReadBlock;
  /** The changes of this page are up to this height. */
  readonly through: number;
  /** Ascending by block, then in the order of the question. */
  readonly changes: readonly WalletChange[];
  readonly next: ChangesQuestion['cursor'] | null;
  /** True if the same question will always have this answer. */
  readonly lasting: boolean;
}

/** The balance of an asset at a height; null where the token had none for the holder. */
type BalanceAt = (
  asset: Asset,
  height: number,
) => Promise<{ readonly block: ReadBlock; readonly amount: bigint | null }>;

/**
 * One list of several, up to the block to which each of them was read; of the last block that has room all changes are
 * there. A change that may be on either side of that block is split there: the next page starts from the balance at the
 * block, and does not see what happened before it.
 * @param limit the most changes before that block
 */
export async function mergeChanges(
  assets: WalletChangesReading['assets'],
  limit: number,
  balanceAt: BalanceAt,
): Promise<Pick<WalletChangesReading, 'through' | 'changes'>> {
  const merged = mergeKnown(assets, limit);
  const { through } = merged;
  const isAcross = ({ afterBlock, block }: BalanceChange): boolean =>
    afterBlock < through && block.number > through;
  if (!assets.some(({ reading }) => reading.changes.some(isAcross))) return merged;
  const split = assets.map(async ({ asset, reading }) => {
    // It is the last one that can be on the page.
    const last = reading.changes.find(isAcross);
    if (last === undefined) return { asset, reading };
    const { block, amount: after } = await balanceAt(asset, through);
    const before = reading.changes.slice(0, reading.changes.indexOf(last));
    const part = (last.before ?? 0n) === (after ?? 0n) ? [] : [{ ...last, block, after }];
    return { asset, reading: { ...reading, through: block, changes: [...before, ...part] } };
  });
  // With its parts a page may have too many changes, and ends earlier.
  return mergeChanges(await Promise.all(split), limit, balanceAt);
}

function mergeKnown(
  assets: WalletChangesReading['assets'],
  limit: number,
): Pick<WalletChangesReading, 'through' | 'changes'> {
  const read = Math.min(...assets.map(({ reading }) => reading.through.number));
  const all = assets
    .flatMap(({ asset, reading }) => reading.changes.map((change) => ({ asset, change })))
    .filter(({ change }) => change.block.number <= read)
    .sort((one, other) => one.change.block.number - other.change.block.number);
  const edge = all.length > limit ? all[limit - 1]!.change.block.number : read;
  return { through: edge, changes: all.filter(({ change }) => change.block.number <= edge) };
}
