import { OPERATIONS } from '@hindsight/api/operations.ts';
import { ApiError } from '@hindsight/kernel/errors.ts';
import { z } from 'zod';
import type { CallValue } from '../domain/call/call.ts';
import { encodeCall } from '../domain/call/encode.ts';
import { parseFunction, type AbiFunction } from '../domain/call/signature.ts';
import { NATIVE } from '../domain/asset.ts';
import { isoDate, pinnedFields } from '../domain/pinned.ts';
import { MAX_FEEDS_OF_TOKEN, type Feed } from '../feeds.ts';
import type { StateAt } from '../ports.ts';
import { address, pinned, signedAmount } from './fields.ts';
import { assetParam } from './parameters.ts';
import { QUESTION_ERRORS } from './refusals.ts';
import { defineView } from './view.ts';

const REASONS = {
  no_contract: 'there was no contract at that block',
  reverted: 'the call reverted',
  no_answer: 'the contract did not answer with a number',
  stale: 'the round is older than the feed’s heartbeat; `answer` is still its answer',
  no_observations: 'the pool did not remember the whole window',
} as const;
type Reason = keyof typeof REASONS;

const reading = z.object({
  kind: z.enum(['erc4626', 'chainlink', 'uniswap-v3-twap', 'rate']),
  name: z.string().meta({ description: 'The reading’s name in the operator’s table' }),
  source: z
    .string()
    .nullable()
    .meta({ description: 'The place where the operator found it; null where the token answers itself' }),
  contract: address('The contract that was read'),
  call: z.string().meta({ description: 'The function that was called' }),
  answer: signedAmount.nullable().meta({
    description:
      'The raw answer: divide by 10 to the power of `decimals`. Of a pool the mean tick. Null with a reason',
  }),
  decimals: z.int().nullable().meta({ description: 'Of `answer`; null where it has none, or did not say' }),
  quote: z
    .string()
    .nullable()
    .meta({ description: 'The unit of `answer`: a currency, or a token’s address' }),
  reason: z
    .enum(Object.keys(REASONS) as [Reason])
    .nullable()
    .meta({
      description: Object.entries(REASONS)
        .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
        .join('; '),
    }),
  round_id: signedAmount.optional().meta({ description: 'Of a Chainlink feed' }),
  updated_at: z.string().optional().meta({ description: 'The time of the feed’s answer' }),
  age_seconds: z.int().optional().meta({ description: 'The answer’s age at the block' }),
  heartbeat_seconds: z
    .int()
    .optional()
    .meta({ description: 'The age above which it is stale, by the operator’s table' }),
  window_seconds: z
    .int()
    .optional()
    .meta({ description: 'Of a pool: the time over which the tick is the mean' }),
  tick_cumulatives: z
    .array(signedAmount)
    .max(2)
    .optional()
    .meta({ description: 'The pool’s answers for both ends of the window' }),
  liquidity: signedAmount
    .optional()
    .meta({ description: 'In range at the block: a thin pool is cheap to move' }),
  token0: z.string().optional(),
  token1: z.string().optional(),
});
type Reading = z.output<typeof reading>;

/** GET /v1/{network}/value/reads: what contracts said a token was worth at a block. */
export const valueReads = defineView({
  operation: {
    ...OPERATIONS.getValueReads,
    tag: 'Balances',
    summary: 'Read what contracts said a token was worth',
    description:
      'Returns readings, each with its contract, call, raw answer and decimals, and never a price of ours: the assets of a ' +
      'share of an ERC-4626 vault, which is found by asking the token, and the rows of the operator’s table for that token: ' +
      'Chainlink feeds with their age at the block, the mean tick of a Uniswap v3 pool over a window with its liquidity, and ' +
      'rates of contracts such as Lido’s, Rocket Pool’s and Curve’s. A contract that was not there, reverted or was stale is a ' +
      'row with its reason. Costs five units.',
    success: { name: 'ValueReads', description: 'The readings' },
    errors: { ...QUESTION_ERRORS, 404: 'No such network, or a block above the head' },
  },
  parameters: {
    token_address: assetParam.meta({
      description: 'The token contract, or `native` for the chain’s own coin',
    }),
  },
  record: {
    token_address: z.string().meta({ description: 'The token, or `native`' }),
    ...pinned,
    reads: z
      .array(reading)
      .max(MAX_FEEDS_OF_TOKEN + 1)
      .meta({
        description: 'The vault first, then the operator’s table in its order; empty where there is neither',
      }),
  },
  async read(state, { token_address: token }) {
    await state.block();
    // All together, so that they share requests.
    const [vault, rows] = await Promise.all([
      token === NATIVE ? undefined : readVault(state, token),
      Promise.all(state.feeds(token).map((feed) => readFeed(state, feed))),
    ]);
    return {
      token_address: token,
      ...pinnedFields(state.pinned),
      reads: vault === undefined ? rows : [vault, ...rows],
    };
  },
});

const ASSET = parseFunction('asset() returns (address)');
const DECIMALS = parseFunction('decimals() returns (uint8)');
const TO_ASSETS = parseFunction('convertToAssets(uint256) returns (uint256)');
const ROUND = parseFunction(
  'latestRoundData() returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
);
const OBSERVE = parseFunction('observe(uint32[]) returns (int56[], uint160[])');
const LIQUIDITY = parseFunction('liquidity() returns (uint128)');
const TOKEN0 = parseFunction('token0() returns (address)');
const TOKEN1 = parseFunction('token1() returns (address)');

/** More do not fit into the number that a call takes. */
const MAX_DECIMALS = 77;
/** The last second that a date has; a contract may answer with any number. */
const LAST_SECOND = 8_640_000_000_000;

/** Reads the worth of a share; undefined where the token is no vault. */
async function readVault(state: StateAt, vault: string): Promise<Reading | undefined> {
  const [asset, decimals] = await Promise.all([ask(state, vault, ASSET), ask(state, vault, DECIMALS)]);
  if ('reason' in asset || 'reason' in decimals) return undefined;
  const [token] = asset.values;
  const ofShares = Number(numberIn(decimals, 0));
  if (ofShares > MAX_DECIMALS) return undefined;
  const share = 10n ** BigInt(ofShares);
  const [worth, places] = await Promise.all([
    askWithReason(state, vault, TO_ASSETS, [String(share)]),
    ask(state, String(token), DECIMALS),
  ]);
  const facts = { kind: 'erc4626', name: 'A share in assets', source: null, contract: vault } as const;
  const named = { ...facts, call: `convertToAssets(${share})`, quote: String(token) };
  return { ...named, ...answerOf(worth, 0), decimals: 'reason' in places ? null : Number(places.values[0]) };
}

function readFeed(state: StateAt, feed: Feed): Promise<Reading> {
  if (feed.kind === 'chainlink') return readRound(state, feed);
  return feed.kind === 'rate' ? readRate(state, feed) : readPool(state, feed);
}

function factsOf({ kind, name, source, contract }: Feed) {
  return { kind, name, source, contract };
}

async function readRound(state: StateAt, feed: Feed & { kind: 'chainlink' }): Promise<Reading> {
  const { contract, quote, heartbeat_seconds } = feed;
  const [round, decimals] = await Promise.all([
    askWithReason(state, contract, ROUND),
    ask(state, contract, DECIMALS),
  ]);
  const named = { ...factsOf(feed), call: 'latestRoundData()', quote, heartbeat_seconds };
  const { answer, reason } = answerOf(round, 1);
  const places = numberIn(decimals, 0);
  const common = { ...named, answer, decimals: places === undefined ? null : Number(places), reason };
  const updated = Number(numberIn(round, 3) ?? 0);
  if (answer === null || updated === 0 || updated > LAST_SECOND)
    return { ...common, answer: null, reason: reason ?? 'no_answer' };
  const age = state.pinned.timestamp - updated;
  return {
    ...common,
    reason: age > heartbeat_seconds ? 'stale' : null,
    round_id: numberIn(round, 0)!,
    updated_at: isoDate(updated),
    age_seconds: age,
  };
}

async function readRate(state: StateAt, feed: Feed & { kind: 'rate' }): Promise<Reading> {
  const { contract, quote, decimals, function: called, args } = feed;
  const answer = answerOf(await askWithReason(state, contract, called, args), 0);
  const call = `${called.text.split('(', 1)[0]}(${args.join(', ')})`;
  return { ...factsOf(feed), call, quote, decimals, ...answer };
}

async function readPool(state: StateAt, feed: Feed & { kind: 'uniswap-v3-twap' }): Promise<Reading> {
  const { contract, window_seconds } = feed;
  const [observed, liquidity, token0, token1] = await Promise.all([
    askWithReason(state, contract, OBSERVE, [[String(window_seconds), '0']]),
    ask(state, contract, LIQUIDITY),
    ask(state, contract, TOKEN0),
    ask(state, contract, TOKEN1),
  ]);
  const named = {
    ...factsOf(feed),
    ...{ call: `observe([${window_seconds}, 0])`, decimals: null, quote: null, window_seconds },
    ...('reason' in token0 ? {} : { token0: String(token0.values[0]) }),
    ...('reason' in token1 ? {} : { token1: String(token1.values[0]) }),
    ...('reason' in liquidity ? {} : { liquidity: String(liquidity.values[0]) }),
  };
  if ('reason' in observed)
    return {
      ...named,
      answer: null,
      reason: observed.reason === 'reverted' ? 'no_observations' : observed.reason,
    };
  const [from, to] = observed.values[0] as readonly string[];
  if (from === undefined || to === undefined) return { ...named, answer: null, reason: 'no_answer' };
  const tick = floorDivided(BigInt(to) - BigInt(from), BigInt(window_seconds));
  return { ...named, answer: String(tick), reason: null, tick_cumulatives: [from, to] };
}

type Asked = { readonly values: readonly CallValue[] } | { readonly reason: Reason };

/** Calls a function once, and says why where it does not answer. @throws {ApiError} where the node fails */
async function askWithReason(...[state, target, ...call]: Parameters<typeof ask>): Promise<Asked> {
  const asked = await ask(state, target, ...call);
  if (!('reason' in asked) || asked.reason !== 'no_answer') return asked;
  return (await state.codeSize(target)) === 0 ? { reason: 'no_contract' } : asked;
}

/** Calls a function once: an address without code does not answer either. @throws {ApiError} where the node fails */
async function ask(
  state: StateAt,
  target: string,
  called: AbiFunction,
  args: readonly unknown[] = [],
): Promise<Asked> {
  const [row] = await state.calls(target, called, [encodeCall(called, args, called.text)]);
  if (row === undefined) return { reason: 'no_answer' };
  if ('values' in row) return row;
  if ('reverted' in row) return { reason: 'reverted' };
  const { statusCode, code, message } = row.error;
  if (statusCode >= 500) throw new ApiError(code, message);
  return { reason: 'no_answer' };
}

function numberIn(asked: Asked, at: number): string | undefined {
  return 'values' in asked ? String(asked.values[at]) : undefined;
}

function answerOf(
  asked: Asked,
  at: number,
): { readonly answer: string | null; readonly reason: Reason | null } {
  if ('reason' in asked) return { answer: null, reason: asked.reason };
  return { answer: String(asked.values[at]), reason: null };
}

/** Rounded down, as the pool's own library does. */
function floorDivided(amount: bigint, by: bigint): bigint {
  const quotient = amount / by;
  return amount % by < 0n ? quotient - 1n : quotient;
}
