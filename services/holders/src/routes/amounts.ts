/** Amounts that addresses hold of a token, as the balance service reads it at one block. */
import { toChecksum } from '@hindsight/chain/address.ts';
import { textOf } from '@hindsight/http/other-service.ts';
import { ApiError, unavailable, type ErrorBody } from '@hindsight/kernel/errors.ts';
import { partsOf } from '@hindsight/kernel/parts.ts';
import { setImmediate } from 'node:timers/promises';
import type { BalanceQuestions } from './balance-answers.ts';
import { tokenFacts, type TokenFacts } from './records.ts';

/** Amount that an address (EIP-55) holds; or the reason why it could not be read. */
export type AmountLine =
  | { readonly holder: string; readonly balance: string }
  | { readonly holder: string; readonly error: ErrorBody };

/** A token, or one id of it, at a block. */
export interface Asset {
  readonly token: string;
  readonly hash: string;
  readonly id: bigint | undefined;
  /** Known where one account owns all there is: of an ERC-721's id. */
  readonly owner: string | undefined;
  /** Known where the standard had to be asked for. */
  readonly facts: TokenFacts | undefined;
}

/** The zero address: the one row of a snapshot without holders, which must have a row. */
const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';

/** Rows of one request for an ERC-1155's balances. */
const ITEM_ROWS = 1_000;
const ITEM_BALANCE = 'balanceOf(address,uint256) returns (uint256)';

/** Finds out what a token with an id is. @throws {ApiError} as the balance service answers */
export async function openAsset(
  balances: BalanceQuestions,
  { token, hash, id }: Pick<Asset, 'token' | 'hash' | 'id'>,
  signal: AbortSignal,
): Promise<Asset> {
  if (id === undefined) return { token, hash, id, owner: undefined, facts: undefined };
  const query = { token_address: token, token_id: id.toString(), block_hash: hash };
  try {
    // Of any holder; the contract itself is one that no token refuses, as many do the zero address.
    const facts = await balances.record('nft/balance', { ...query, holder: token }, signal);
    return { token, hash, id, owner: undefined, facts: factsIn(facts) };
  } catch (error) {
    if (!isOtherStandard(error)) throw error;
  }
  try {
    const owned = (await balances.record('nft/owner', query, signal)) as TokenFacts & {
      readonly owner: string;
    };
    return { token, hash, id, owner: owned.owner, facts: factsIn(owned) };
  } catch (error) {
    if (!isOtherStandard(error)) throw error;
    throw new ApiError(
      'wrong_token_standard',
      `token_id: the token ${token} has no ids; only ERC-721 and ERC-1155 tokens have`,
    );
  }
}

/** Part by part: to wait for each line of a million would take longer than to read it. */
export type AmountLines = AsyncIterable<readonly AmountLine[]>;

/**
 * The facts, and what these addresses hold, in their order.
 * @throws {ApiError} as the balance service answers; the lines throw where the answer breaks off
 */
export async function readAmounts(
  balances: BalanceQuestions,
  asset: Asset,
  holders: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly facts: TokenFacts; readonly lines: AmountLines }> {
  const { facts, owner } = asset;
  if (facts === undefined) return snapshot(balances, asset, holders, signal);
  if (owner !== undefined) return { facts, lines: owned(holders) };
  return { facts, lines: items(balances, asset, holders, signal) };
}

async function* owned(holders: readonly string[]): AsyncGenerator<readonly AmountLine[]> {
  yield holders.map((holder) => ({ holder: toChecksum(holder), balance: '1' }));
}

type SnapshotLine =
  | (Omit<TokenFacts, `token_${string}`> & {
      readonly record: 'facts';
      readonly tokens: readonly Pick<TokenFacts, Extract<keyof TokenFacts, `token_${string}`>>[];
    })
  | (AmountLine & { readonly record: 'balance' | 'error' })
  | { readonly record: 'end' };

async function snapshot(
  balances: BalanceQuestions,
  { token, hash }: Asset,
  holders: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly facts: TokenFacts; readonly lines: AmountLines }> {
  const query = new URLSearchParams({ token_address: token, block_hash: hash }).toString();
  const text = `${(holders.length > 0 ? holders : [ZERO_ADDRESS]).join('\n')}\n`;
  const body = { type: 'text/plain; charset=utf-8', text } as const;
  const parts = readLines(await balances.send(`balance/snapshot?${query}`, body, signal));
  const begun = await parts.next();
  if (begun.done === true) throw brokeOff();
  const [first, ...others] = begun.value;
  if (first?.record !== 'facts') throw new TypeError('a snapshot begins with its facts');
  const { tokens, ...block } = first;
  return { facts: factsIn({ ...block, ...tokens[0] }), lines: amounts(others) };

  async function* amounts(begin: readonly SnapshotLine[]): AsyncGenerator<readonly AmountLine[]> {
    let isWhole = false;
    const read = (lines: readonly SnapshotLine[]): readonly AmountLine[] => {
      isWhole ||= lines.at(-1)?.record === 'end';
      // Of no holders, one address was asked about that is none.
      return holders.length > 0 ? lines.filter(isAmount) : [];
    };
    yield read(begin);
    for await (const lines of parts) yield read(lines);
    if (!isWhole) throw brokeOff();
  }
}

function isAmount(line: SnapshotLine): line is AmountLine & { readonly record: 'balance' | 'error' } {
  return line.record === 'balance' || line.record === 'error';
}

async function* items(
  balances: BalanceQuestions,
  { token, hash, id = 0n }: Asset,
  holders: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<readonly AmountLine[]> {
  for (const asked of partsOf(holders, ITEM_ROWS)) {
    const args = asked.map((holder) => [holder, id.toString()]);
    const text = JSON.stringify({ target: token, function: ITEM_BALANCE, args, block_hash: hash });
    const answer = await textOf(await balances.send('call', { type: 'application/json', text }, signal));
    const { results } = JSON.parse(answer) as {
      readonly results: readonly { readonly values?: readonly string[]; readonly error?: ErrorBody }[];
    };
    yield asked.map((holder, i) => toLine(toChecksum(holder), results[i] ?? {}));
    await setImmediate();
  }
}

function toLine(
  holder: string,
  { values, error }: { readonly values?: readonly string[]; readonly error?: ErrorBody },
): AmountLine {
  const [balance] = values ?? [];
  if (balance !== undefined) return { holder, balance };
  const message = `The token reports no balance for ${holder}`;
  return { holder, error: error ?? { message, error: 'Not Found', statusCode: 404, code: 'no_balance' } };
}

/** Mints and burns name the zero address, which owns none: EIP-721 and many an ERC-1155 have its balance revert. */
export function isOfZeroAddress(
  { holder, error }: AmountLine & { readonly error: ErrorBody },
  type: string,
): boolean {
  return type !== 'erc20' && holder === ZERO_ADDRESS && error.statusCode < 500;
}

function isOtherStandard(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'wrong_token_standard';
}

const FACTS = tokenFacts.keyof().options;

/** The fields that every answer about a token has, of one that may have more. */
function factsIn(record: unknown): TokenFacts {
  const fields = record as TokenFacts;
  return Object.fromEntries(FACTS.map((name) => [name, fields[name]])) as TokenFacts;
}

/** The records whose lines have ended, part by part. */
async function* readLines(body: AsyncIterable<string>): AsyncGenerator<readonly SnapshotLine[]> {
  let rest = '';
  for await (const part of body) {
    const text = rest + part;
    const end = text.lastIndexOf('\n');
    rest = text.slice(end + 1);
    // JSON has no line end within a text, and one array is parsed faster than its items one by one.
    if (end !== -1) yield JSON.parse(`[${text.slice(0, end).replaceAll('\n', ',')}]`) as SnapshotLine[];
  }
}

function brokeOff(): ApiError {
  return unavailable('service_unavailable', 'The balance service broke off its answer.', { seconds: 5 });
}
