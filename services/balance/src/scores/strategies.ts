/**
 * Strategies of Snapshot that depend on the state at a block alone. Each gives the numbers that its published code gives;
 * what it takes is checked more strictly, and a contract that does not answer is an error, never a score of zero.
 */
import { addressParam } from '@hindsight/chain/params.ts';
import { parseWith } from '@hindsight/http/validation.ts';
import { ApiError, badRequest } from '@hindsight/kernel/errors.ts';
import { Turns } from '@hindsight/kernel/turns.ts';
import { z } from 'zod';
import { ChecksumBudget, encodeCall } from '../domain/call/encode.ts';
import { parseFunction } from '../domain/call/signature.ts';
import { methodSchema, readMethod, type Method } from './method.ts';
import { scoreOf, scoreOfNumber, type Score } from '../domain/scores/score.ts';
import type { StateAt } from '../ports.ts';

/** Reads the scores of addresses, in their order. */
export type ScoreReader = (state: StateAt, addresses: readonly string[]) => Promise<readonly Score[]>;

/** A strategy's name and parameters, and where it stands in the request: `params.strategies[0]`. */
export interface GivenStrategy {
  readonly name: string;
  readonly params: unknown;
  readonly at: string;
}

interface Calls {
  readonly target: string;
  readonly method: Method;
  /** The arguments of each call, made one after another as they may be long; and what it is about, for errors. */
  readonly rows: readonly { readonly args: () => readonly unknown[]; readonly of: string }[];
}

/** A whole number as text. @param most its digits at the most */
export function digits(most: number) {
  return z
    .string()
    .regex(new RegExp(`^\\d{1,${most}}$`))
    .transform(Number);
}

/** Decimals of the score. Strategies of old spaces have them as text. */
const decimals = z
  .union([z.int(), digits(3)], 'expected a whole number from 0 to 255')
  .pipe(z.int().min(0).max(255))
  .nullish()
  .transform((given) => given ?? 18);
const address = addressParam;
const number = z.number('expected a number');

const oneUint = (signature: string): Method => ({ called: parseFunction(signature), output: 0 });
const BALANCE_OF = oneUint('balanceOf(address) returns (uint256)');
const ITEMS_OF = oneUint('balanceOf(address,uint256) returns (uint256)');
const VOTES_OF = oneUint('getVotes(address) returns (uint256)');
const ASSETS_OF = oneUint('convertToAssets(uint256) returns (uint256)');

/** By name. Reads a strategy's parameters. */
const STRATEGIES: Readonly<Record<string, (given: GivenStrategy) => ScoreReader>> = {
  'erc20-balance-of': unitsBy(BALANCE_OF),
  erc721: (given) => {
    const { address: target } = read(given, { address });
    return callsOf(given, { target, method: BALANCE_OF, decimals: 0 });
  },
  'erc20-votes': unitsBy(VOTES_OF),
  'erc1155-balance-of': (given) => {
    const asked = read(given, { address, decimals, tokenId: z.union([z.string().max(80), z.int()]) });
    const args = (voter: string): readonly unknown[] => [voter, asked.tokenId];
    return callsOf(given, { target: asked.address, method: ITEMS_OF, decimals: asked.decimals, args });
  },
  'contract-call': contractCall,
  'eth-balance': (given) => {
    const { decimals: places } = read(given, { decimals });
    return async (state, voters) => (await state.weiOf(voters)).map((wei) => scoreOf(wei, places || 18));
  },
  'erc20-with-balance': (given) => {
    const { minBalance } = read(given, { minBalance: number.nullish() });
    const balances = unitsBy(BALANCE_OF)(given);
    return async (state, voters) =>
      (await balances(state, voters)).map(({ float }) => scoreOfNumber(float > (minBalance ?? 0) ? 1 : 0));
  },
  'erc4626-assets-of': (given) => {
    const { address: target, decimals: places } = read(given, { address, decimals });
    return async (state, voters) => {
      const shares = await numbers(state, given, rowsOf(target, BALANCE_OF, voters));
      const rows = shares.map((held, i) => ({ args: () => [String(held)], of: voters[i]! }));
      const assets = await numbers(state, given, { target, method: ASSETS_OF, rows });
      return assets.map((worth) => scoreOf(worth, places));
    };
  },
  ticket: (given) => {
    const { value } = read(given, { value: number.nullish() });
    return async (_state, voters) => voters.map(() => scoreOfNumber(value || 1));
  },
  whitelist: (given) => {
    const asked = read(given, { addresses: z.array(z.string()).default([]), url: z.unknown().optional() });
    if (asked.url) throw unsupported(given.at, 'whitelist with a url', 'what a url answers has no block');
    return async (_state, voters) => {
      // There are far fewer voters than a list may have.
      const others = new Set(voters.map((voter) => voter.toLowerCase()));
      for (const one of asked.addresses) others.delete(one.toLowerCase());
      return voters.map((voter) => scoreOfNumber(others.has(voter.toLowerCase()) ? 0 : 1));
    };
  },
};

/**
 * Reads one strategy; `multichain` is none of these.
 * @throws {ApiError} 422 for one that is not known; 400 for parameters that it cannot have
 */
export function readStrategy(given: GivenStrategy): ScoreReader {
  const make = Object.hasOwn(STRATEGIES, given.name) ? STRATEGIES[given.name] : undefined;
  if (make) return make(given);
  const known = [...Object.keys(STRATEGIES), 'multichain'].join(', ');
  throw unsupported(
    given.at,
    given.name.slice(0, 60),
    `only those that read the state at a block are: ${known}`,
  );
}

/** 422: a strategy that is not answered. */
export function unsupported(at: string, name: string, why: string): ApiError {
  return new ApiError('strategy_unsupported', `${at}: the strategy ${name} is not supported; ${why}`);
}

/** Reads parameters; those that a strategy does not use may be anything. @throws {ApiError} 400 that names it */
export function read<S extends z.ZodRawShape>(
  { params, at }: Pick<GivenStrategy, 'params' | 'at'>,
  shape: S,
): z.output<z.ZodObject<S>> {
  const parsed = parseWith(z.object(shape), params);
  if ('error' in parsed) throw placed(at, parsed.error);
  return parsed.value;
}

function placed(at: string, { message }: { readonly message: string }): ApiError {
  return badRequest(`${at}.params.${message}`);
}

/** A strategy whose score is what a method of a token says of the voter. */
function unitsBy(method: Method): (given: GivenStrategy) => ScoreReader {
  return (given) => {
    const { address: target, decimals: places } = read(given, { address, decimals });
    return callsOf(given, { target, method, decimals: places });
  };
}

/** The placeholder of the voter's address among arguments. */
const VOTER = /%\{address\}/g;

function contractCall(given: GivenStrategy): ScoreReader {
  const asked = read(given, {
    address,
    decimals,
    methodABI: methodSchema,
    args: z.array(z.unknown()).max(32).nullish(),
    output: z.union([z.string().max(100), z.int().min(0)]).optional(),
  });
  let method: Method;
  try {
    method = readMethod(asked.methodABI, asked.output);
  } catch (error) {
    throw placed(given.at, error as Error);
  }
  const args = (voter: string): readonly unknown[] =>
    (asked.args ?? ['%{address}']).map((arg) =>
      typeof arg === 'string' ? arg.replaceAll(VOTER, voter) : arg,
    );
  return callsOf(given, { target: asked.address, method, decimals: asked.decimals, args });
}

function callsOf(
  given: GivenStrategy,
  asked: {
    readonly target: string;
    readonly method: Method;
    readonly decimals: number;
    readonly args?: (voter: string) => readonly unknown[];
  },
): ScoreReader {
  const { target, method, decimals: places, args } = asked;
  return async (state, voters) =>
    (await numbers(state, given, rowsOf(target, method, voters, args))).map((units) =>
      scoreOf(units, places),
    );
}

function rowsOf(
  target: string,
  method: Method,
  voters: readonly string[],
  args: (voter: string) => readonly unknown[] = (voter) => [voter],
): Calls {
  return { target, method, rows: voters.map((of) => ({ args: () => args(of), of })) };
}

/** The number that each call returns. @throws {ApiError} 422 that names the strategy and the address without one */
async function numbers(
  state: StateAt,
  { name, at }: GivenStrategy,
  { target, method: { called, output }, rows }: Calls,
): Promise<readonly bigint[]> {
  const turns = new Turns();
  const checksums = new ChecksumBudget(rows.length);
  const encoded: string[] = [];
  for (const { args } of rows) {
    encoded.push(encodeCall(called, args(), `${at}.params.args`, checksums));
    await turns.next();
  }
  const answers = await state.calls(target, called, encoded);
  return answers.map((answer, i) => {
    if ('values' in answer) return BigInt(answer.values[output] as string);
    const place = `${at} (${name}): ${target} gives no number for ${rows[i]!.of}`;
    if ('reverted' in answer)
      throw new ApiError(
        'strategy_failed',
        `${place}: it reverted: ${answer.reverted.reason ?? 'no reason given'}`,
      );
    const { code, message, statusCode } = answer.error;
    throw new ApiError(statusCode >= 500 ? code : 'strategy_failed', `${place}: ${message}`);
  });
}
