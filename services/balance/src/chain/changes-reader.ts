/** Reads the changes of a balance, a page at a time. */
import { badRequest } from '@hindsight/kernel/errors.ts';
import { markOf } from '@hindsight/kernel/mark.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import type { BalanceChange, ChangesQuestion, ChangesReading } from '../domain/changes.ts';
import type { TokenAt } from '../domain/token.ts';
import type { ChangesDeps, FoundChange } from './changes-search.ts';
import { netOf } from './holder-transfers.ts';
import { findEtherChanges } from './ether-changes.ts';
import { asRead, bounded, findEnd, isForGood, unlessReorganised, resolveHolder } from './ranges.ts';
import { findTokenChanges } from './token-changes.ts';

/** Reads a page of changes. @throws {ApiError} as `History.changes` */
export async function readChanges(
  deps: ChangesDeps,
  question: ChangesQuestion,
  signal: AbortSignal,
): Promise<ChangesReading> {
  const { holder } = question;
  if ('address' in holder) checkCursor(question, questionMark(question, holder.address));
  return unlessReorganised(() => readOnce(deps, question, signal));
}

/** @throws {ApiError} 400 for a cursor of another question */
export function checkCursor({ cursor }: Pick<ChangesQuestion, 'cursor'>, mark: string): void {
  if (cursor !== undefined && cursor.mark !== mark)
    throw badRequest(
      'cursor: it is of another question; expected the same token_address, holder, from and to',
    );
}

async function readOnce(
  deps: ChangesDeps,
  question: ChangesQuestion,
  signal: AbortSignal,
): Promise<ChangesReading> {
  const { reader } = deps;
  const { token, limit, cursor } = question;
  const { from, to } = await findEnds(deps, question, signal);
  const holder = await resolveHolder(deps, question.holder, { from, to }, signal);
  const mark = questionMark(question, holder.address);
  checkCursor(question, mark);
  const search = { holder: holder.address, from, to, limit };
  const found =
    token === null
      ? await findEtherChanges(deps, search, signal)
      : await findTokenChanges(deps, { ...search, token, tokenAt: cursor?.tokenAt }, signal);
  const changes = found.changes
    .slice(0, limit)
    .map((change) => toChange(change, found.token, reader.isFinalized(change.high.block)));
  const last = found.changes.length > limit ? found.changes[limit - 1]!.high.block : found.end;
  const facts = found.token;
  const tokenAt = facts === null || facts.height === to.number ? undefined : facts.height;
  const next = last.number < to.number ? { after: last.number, to: to.hash, mark, tokenAt } : null;
  const isBounded = cursor !== undefined || question.to !== 'latest';
  const lasting = isBounded && !found.isCut && holder.lasting && isForGood(reader, to, true);
  const read = (block: Block): ReturnType<typeof asRead> => asRead(block, reader.isFinalized(block));
  return {
    holder,
    token: facts,
    to: read(to),
    from: read(from),
    through: read(last),
    changes,
    isComplete: found.isComplete,
    how: found.how,
    next,
    lasting,
  };
}

/** Distinguishes a question from others. @param holder the address, EIP-55: a name may be given for it */
export function questionMark(
  { token, from, to }: Pick<ChangesQuestion, 'token' | 'from' | 'to'>,
  holder: string,
): string {
  return markOf([token, holder, from, to]);
}

/** The first and the last block of a page. @throws {ApiError} */
export async function findEnds(
  deps: ChangesDeps,
  { from, to, cursor }: Pick<ChangesQuestion, 'from' | 'to' | 'cursor'>,
  signal: AbortSignal,
): Promise<{ from: Block; to: Block }> {
  const { reader } = deps;
  const end = cursor
    ? await reader.findBlockByHash(cursor.to, signal)
    : await bounded('to', findEnd(deps, to, signal));
  if ((cursor?.tokenAt ?? 0) > end.number) throw badRequest('cursor: expected the next of an earlier answer');
  const begin = cursor ? { height: cursor.after } : from;
  const start = await bounded('from', findEnd(deps, begin, signal));
  if (start.number > end.number)
    throw badRequest('from: it is after to; expected the earlier end', 'invalid_range');
  return { from: start, to: end };
}

function toChange(
  { low, high, transfer }: FoundChange,
  token: TokenAt | null,
  isFinalized: boolean,
): BalanceChange {
  const movements = transfer?.movements ?? [];
  return {
    afterBlock: low.block.number,
    block: asRead(high.block, isFinalized),
    cause: transfer ? 'transfer' : 'state',
    transactions: [...(transfer?.transactions ?? [])],
    before: low.amount,
    after: high.amount,
    net: netOf(movements, token?.tokenType === 'erc721' ? 'erc721' : 'erc20'),
  };
}
