/** Answers rows that each name a network, a holder, an asset and a block: rows of one block share calls. */
import { ApiError, gatewayTimeout, type ErrorBody } from '@hindsight/kernel/errors.ts';
import { unlessAborted } from '@hindsight/kernel/abort.ts';
import { accountText, type AccountRef } from '../domain/account.ts';
import { NATIVE, type Amount, type Asset } from '../domain/asset.ts';
import { networkFields, type ReadBlock, type When } from '../domain/pinned.ts';
import type { ManyBalances, OpenBlock } from '../ports.ts';
import { nativeFields } from '../views/balance-native.ts';
import { balanceFields } from '../views/balance-single.ts';

export interface BatchQuestion {
  /** Of its network. */
  readonly many: ManyBalances;
  readonly asset: Asset;
  readonly holder: AccountRef;
  readonly when: When;
}

/** A row's answer: the record of its view, or an error. */
type BatchAnswer =
  | ReturnType<typeof balanceFields>
  | ReturnType<typeof nativeFields>
  | { readonly error: ErrorBody };

interface Row extends BatchQuestion {
  answer: BatchAnswer | undefined;
}

/** Rows of different blocks of a network that are read at once. */
const BLOCKS_AT_ONCE = 48;

/**
 * Answers the rows in their order. What is not read within the deadline is an error of its row; an unavailable network is one of
 * its own rows alone.
 * @param rows what each asks, or why it asks nothing
 * @param client aborted when the caller has left
 */
export async function answerBatch(
  rows: readonly (BatchQuestion | ApiError)[],
  client: AbortSignal,
  deadlineMs: number,
): Promise<readonly BatchAnswer[]> {
  const deadline = AbortSignal.timeout(deadlineMs);
  const signal = AbortSignal.any([client, deadline]);
  const all = rows.map((question): Row | { readonly answer: BatchAnswer } =>
    question instanceof ApiError ? { answer: errorOf(question) } : { ...question, answer: undefined },
  );
  const answerNetwork = async (own: readonly Row[]): Promise<void> => {
    const waiting = Map.groupBy(own, ({ when }) => JSON.stringify(when)).values();
    const answerNext = async (): Promise<void> => {
      for (const block of waiting) {
        try {
          await unlessAborted(answerBlock(block, signal), signal);
        } catch (error) {
          client.throwIfAborted();
          const late = deadline.aborted
            ? gatewayTimeout('deadline_exceeded', `The row was not read within ${deadlineMs} ms.`)
            : error;
          for (const row of block) row.answer ??= errorOf(late);
        }
      }
    };
    await Promise.all(Array.from({ length: BLOCKS_AT_ONCE }, answerNext));
  };
  const asked = all.filter((row) => 'many' in row);
  await Promise.all(
    Map.groupBy(asked, ({ many }) => many)
      .values()
      .map(answerNetwork),
  );
  return all.map(({ answer }) => answer!);
}

/** @param rows at least one, all of one network and one block */
async function answerBlock(rows: readonly Row[], signal: AbortSignal): Promise<void> {
  const { many, when } = rows[0]!;
  const assets = Map.groupBy(rows, ({ asset }) => asset);
  const open = await many.open([...assets.keys()], when, signal);
  const addresses = await resolveAll(open, rows, signal);
  const answerAsset = async (asset: Asset, own: readonly Row[]): Promise<void> => {
    const known = own.filter((row) => {
      const address = addresses.get(accountText(row.holder));
      if (address instanceof ApiError) row.answer = errorOf(address);
      return row.answer === undefined;
    });
    const holders = known.map(({ holder }) => addresses.get(accountText(holder)) as string);
    const amounts = await readAmounts(open, asset, holders, signal);
    known.forEach((row, i) => {
      const block = 'name' in row.holder ? { ...open.block, namesAt: open.namesAt } : open.block;
      const amount = amounts instanceof ApiError ? amounts : amounts[i];
      row.answer = answerOf(many, { open, block, asset, holder: holders[i]!, amount });
    });
  };
  await Promise.all([...assets].map(([asset, own]) => answerAsset(asset, own)));
}

/** The addresses of all holders, by how they were given; each name is resolved once. */
async function resolveAll(
  open: OpenBlock,
  rows: readonly Row[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string | ApiError>> {
  const holders = new Map(rows.map(({ holder }) => [accountText(holder), holder]));
  const resolve = async (holder: AccountRef): Promise<string | ApiError> =>
    'address' in holder ? holder.address : open.resolve(holder.name, signal).catch(asApiError);
  const resolved = [...holders].map(async ([text, holder]) => [text, await resolve(holder)] as const);
  return new Map(await Promise.all(resolved));
}

/** Skip tokens without a single balance; their standard is the answer. */
async function readAmounts(
  open: OpenBlock,
  asset: Asset,
  holders: readonly string[],
  signal: AbortSignal,
): Promise<readonly Amount[] | ApiError> {
  if (asset !== NATIVE) {
    try {
      const { tokenType } = open.facts(asset);
      if (tokenType !== 'erc20' && tokenType !== 'erc721') return holders.map(() => undefined);
    } catch (error) {
      return asApiError(error);
    }
  }
  return open.read(asset, holders, signal);
}

interface AnsweredRow {
  readonly open: OpenBlock;
  readonly block: ReadBlock;
  readonly asset: Asset;
  readonly holder: string;
  readonly amount: Amount;
}

function answerOf(
  { network }: ManyBalances,
  { open, block, asset, holder, amount }: AnsweredRow,
): BatchAnswer {
  if (amount instanceof ApiError) return errorOf(amount);
  try {
    const fields =
      asset === NATIVE
        ? nativeFields(holder, amount!, block)
        : balanceFields({ ...open.facts(asset), value: amount }, holder, block);
    return { ...networkFields(network), ...fields };
  } catch (error) {
    return errorOf(error);
  }
}

/** @throws what is not an answer to the caller */
function errorOf(error: unknown): BatchAnswer {
  return { error: asApiError(error).body };
}

/** @throws what is not an answer to the caller */
function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}
