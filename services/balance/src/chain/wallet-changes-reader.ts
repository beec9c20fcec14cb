/** Reads the changes of several balances of one holder, a page at a time. */
import { MAX_TOKENS } from '@hindsight/api/units.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import { markOf } from '@hindsight/kernel/mark.ts';
import { NATIVE, type Asset } from '../domain/asset.ts';
import {
  mergeChanges,
  type ChosenAssets,
  type WalletChangesQuestion,
  type WalletChangesReading,
} from '../domain/wallet-changes.ts';
import type { Holdings } from '../domain/wallet.ts';
import { checkCursor, findEnds, heightOf, questionMark, readChanges } from './changes-reader.ts';
import type { ChangesDeps } from './changes-search.ts';
import { asRead, bounded, findEnd, resolveHolder } from './ranges.ts';
import { sampleAt } from './token-changes.ts';
import type { WalletReader } from './wallet-reader.ts';

interface WalletChangesDeps extends ChangesDeps {
  readonly wallets: Pick<WalletReader, 'readHoldings'>;
}

/** Reads a page of changes. @throws {ApiError} as `History.walletChanges` */
export async function readWalletChanges(
  deps: WalletChangesDeps,
  question: WalletChangesQuestion,
  signal: AbortSignal,
): Promise<WalletChangesReading> {
  const { limit, cursor } = question;
  const { from, to } = await findEnds(deps, question, signal);
  const holder = await resolveHolder(deps, question.holder, { from, to }, signal);
  let chosen: WalletChangesReading['chosen'];
  if (question.assets === undefined) {
    // The same ones on each page: a later page begins elsewhere.
    const begin = cursor ? await bounded('from', findEnd(deps, question.from, signal)) : from;
    chosen = await chooseAssets(deps.wallets, holder.address, { from: begin, to }, signal);
  }
  const assets = question.assets ?? chosen?.assets ?? [];
  const mark = markOf([assets, holder.address, question.from, question.to]);
  checkCursor(question, mark);
  const bounds = {
    ...{ holder: { address: holder.address }, from: question.from, to: question.to, limit },
    resolve: 'once' as const,
  };
  const read = await Promise.all(
    assets.map(async (asset, i) => {
      const own = { ...bounds, token: tokenOf(asset) };
      // Each is read from the very blocks of the page.
      const start = { after: from.number, to: to.hash, mark: questionMark(own, holder.address) };
      const tokensAt = [cursor?.tokensAt[i]];
      const reading = await readChanges(deps, { ...own, cursor: { ...start, tokensAt } }, signal);
      return { asset, reading };
    }),
  );
  const { through, changes } = await mergeChanges(read, limit, async (asset, height) => {
    const row = { token: tokenOf(asset), holder: holder.address };
    const [sample] = await sampleAt(deps, { row, to }, [height], signal);
    const { block, amount } = sample!;
    return { block: asRead(deps.reader, block), amount };
  });
  const tokensAt = read.map(({ reading }) => heightOf(reading.token, to));
  const isBounded = cursor !== undefined || question.to !== 'latest';
  return {
    holder,
    chosen,
    assets: read,
    from: asRead(deps.reader, from),
    to: asRead(deps.reader, to),
    through,
    changes,
    next: through < to.number ? { after: through, to: to.hash, mark, tokensAt } : null,
    lasting:
      isBounded &&
      holder.lasting &&
      chosen?.isSearched !== false &&
      read.every(({ reading }) => reading.lasting),
  };
}

/**
 * Chooses ether and the tokens that a wallet holds at either end of a range, as far as there is room. Items of an ERC-1155
 * have no single balance, and what comes and goes in between is not looked for.
 * @param holder EIP-55
 * @throws {NodeError}
 */
async function chooseAssets(
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
  // Of a token that did not answer, the wallet may have held some.
  const isUnread = ([token, reason]: [string, string]): boolean =>
    reason !== 'cut' && !tokens.includes(token);
  const isWhole = ({ searched, next, unread }: Holdings): boolean =>
    searched.complete && next === null && ![...unread].some(isUnread);
  const isComplete = leftOut.length === 0 && ends.every(isWhole);
  // Only events that were not searched may change the choice: what state says of a block stays.
  const isSearched = ends.every(({ searched }) => searched.complete);
  return { assets: [NATIVE, ...tokens.slice(0, room)], leftOut, isComplete, isSearched };
}

/** Null for the native coin. */
function tokenOf(asset: Asset): string | null {
  return asset === NATIVE ? null : asset;
}
