/** Reads the changes of a balance, a page at a time. */
import { badRequest } from '@hindsight/kernel/errors.ts';
import { markOf } from '@hindsight/kernel/mark.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import type { ChainReader } from '@hindsight/chain/state/reader.ts';
import { isToken } from '@hindsight/chain/tokens/token.ts';
import type { BalanceChange, ChangesQuestion, ChangesReading, NameMeaning } from '../domain/changes.ts';
import type { TokenAt } from '../domain/token.ts';
import type { ChangesDeps, FoundChange } from './changes-search.ts';
import { netOf } from './holder-transfers.ts';
import { findNameSpans, type NameSpan } from './name-spans.ts';
import {
  asRead,
  bounded,
  findEnd,
  isForGood,
  resolveHolder,
  unlessReorganised,
  type ResolvedHolder,
} from './ranges.ts';
import { isOfEach } from './series-reader.ts';
import { findSpanChanges } from './span-changes.ts';

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
  const begun = performance.now();
  const { reader } = deps;
  const { token, limit, cursor } = question;
  const { from, to } = await findEnds(deps, question, signal);
  const { holder, mark, spans, isOfEach } = await findSpans(deps, question, { from, to }, signal);
  checkCursor(question, mark);
  const left = { ...deps, deadlineMs: deps.deadlineMs - (performance.now() - begun) };
  const found = await findSpanChanges(left, partOf(spans, from), { token, limit }, signal);
  // All pages name the token as the first one does.
  const others = [cursor?.tokensAt[0], from, found.heldAt].filter((at) => at !== undefined);
  const facts = token === null ? null : await readToken(deps, token, [to, ...others], signal);
  const last = found.end;
  const tokensAt = [heightOf(facts, to)];
  const next = last.number < to.number ? { after: last.number, to: to.hash, mark, tokensAt } : null;
  const isBounded = cursor !== undefined || question.to !== 'latest';
  const lasting = isBounded && !found.isCut && holder.lasting && isForGood(reader, to, true);
  return {
    holder,
    token: facts,
    to: asRead(reader, to),
    from: asRead(reader, from),
    through: asRead(reader, last),
    meanings: isOfEach ? spans.map(toMeaning) : undefined,
    changes: found.changes.map((change) => ({
      ...toChange(reader, change, facts),
      ...(isOfEach && { holder: change.holder }),
    })),
    isComplete: found.isComplete,
    how: found.how,
    next,
    lasting,
  };
}

/** The addresses over the whole range of a question, which all of its pages share. */
interface QuestionSpans {
  readonly holder: ResolvedHolder;
  readonly mark: string;
  readonly spans: readonly NameSpan[];
  /** True if a name is resolved at each block. */
  readonly isOfEach: boolean;
}

/** @param page its first and its last block */
async function findSpans(
  deps: ChangesDeps,
  question: ChangesQuestion,
  page: { readonly from: Block; readonly to: Block },
  signal: AbortSignal,
): Promise<QuestionSpans> {
  const { from, to } = page;
  if (!isOfEach(question)) {
    const holder = await resolveHolder(deps, question.holder, page, signal, { orEach: true });
    const spans = [{ address: holder.address, after: from, through: to }];
    return { holder, mark: questionMark(question, holder.address), spans, isOfEach: false };
  }
  const { name } = question.holder;
  const begin = question.cursor ? await bounded('from', findEnd(deps, question.from, signal)) : from;
  const { spans, last } = await findNameSpans(deps, name, { from: begin, to }, signal);
  return { holder: last, mark: questionMark(question, `each ${name}`), spans, isOfEach: true };
}

/** Cuts spans down to those after a block; the last one is always kept. */
function partOf(spans: readonly NameSpan[], from: Block): readonly [NameSpan, ...NameSpan[]] {
  const [first, ...others] = spans.filter(
    ({ through }, i) => through.number > from.number || i === spans.length - 1,
  );
  if (first === undefined) throw new TypeError('a range has a span');
  return [first.after.number < from.number ? { ...first, after: from } : first, ...others];
}

function toMeaning({ address, after, through }: NameSpan): NameMeaning {
  const from = Math.min(after.number + 1, through.number);
  return { address, from, through: through.number };
}

/** Reads the token at the first of these blocks at which it is one: it may be deployed and destroyed between the ends. */
async function readToken(
  { tokens }: ChangesDeps,
  token: string,
  blocks: readonly [Block, ...(Block | number)[]],
  signal: AbortSignal,
): Promise<TokenAt> {
  const [first, ...others] = blocks;
  let read = await tokens.readFacts(first, token, signal);
  for (const at of others) {
    if (isToken(read.facts)) break;
    const other = await tokens.readFacts(at, token, signal);
    // A contract that is no token says more than that there is none.
    if (isToken(other.facts) || read.facts.tokenType === 'none') read = other;
  }
  return { ...read.facts, height: read.block.number };
}

/** The height that a cursor names for a token; undefined where it is one at the last block. */
export function heightOf(token: TokenAt | null, to: Block): number | undefined {
  return token === null || token.height === to.number ? undefined : token.height;
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
  if (cursor?.tokensAt.some((at = 0) => at > end.number))
    throw badRequest('cursor: expected the next of an earlier answer');
  const begin = cursor ? { height: cursor.after } : from;
  const start = await bounded('from', findEnd(deps, begin, signal));
  if (start.number > end.number)
    throw badRequest('from: it is after to; expected the earlier end', 'invalid_range');
  return { from: start, to: end };
}

function toChange(
  reader: ChainReader,
  { low, high, transfer }: FoundChange,
  token: TokenAt | null,
): BalanceChange {
  const movements = transfer?.movements ?? [];
  return {
    afterBlock: low.block.number,
    block: asRead(reader, high.block),
    cause: transfer ? 'transfer' : 'state',
    transactions: [...(transfer?.transactions ?? [])],
    before: low.amount,
    after: high.amount,
    net: netOf(movements, token?.tokenType === 'erc721' ? 'erc721' : 'erc20'),
  };
}
