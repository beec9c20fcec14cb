/** Questions as scripts put them to Etherscan's API, and its answers: the same facts by another name. Pure. */

import { Fault } from '@hindsight/kernel/errors.ts';

export interface Asked {
  /** Below the network: `/balance/native`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The field of the answer that is the result. */
  readonly field: string;
}

/** Parameters by their names in lower case. */
export type EtherscanParams = ReadonlyMap<string, string>;

/** The text of an error, as Etherscan's `result` has it. */
export class EtherscanError extends Fault {}

export interface EtherscanAnswer {
  readonly status: '1' | '0';
  readonly message: 'OK' | 'NOTOK';
  readonly result: string;
}

const MAX_PARAMETERS = 20;

/** Reads a query. @throws {EtherscanError} for a parameter that is given twice, or too many of them */
export function readParams(query: string): EtherscanParams {
  const params = new Map<string, string>();
  if (query.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS)
    throw new EtherscanError(`Error! More than ${MAX_PARAMETERS} parameters`);
  for (const [name, value] of new URLSearchParams(query)) {
    const known = name.toLowerCase();
    if (params.has(known)) throw new EtherscanError(`Error! ${known.slice(0, 60)} is given more than once`);
    params.set(known, value);
  }
  return params;
}

/** The error for a chain that is not served. @param names of the networks that are, by chain id */
export function notServed(names: ReadonlyMap<string, string>): EtherscanError {
  const served = [...names].map(([id, name]) => `${id} (${name})`).join(', ');
  return new EtherscanError(`Missing or unsupported chainid parameter; served: ${served}`);
}

/** A question for the block at a time: the last one before it, or the first one after it. */
export interface AtTime {
  readonly seconds: number;
  readonly closest: 'before' | 'after';
}

/** Reads the question. @throws {EtherscanError} for another action, or a parameter that is missing or malformed */
export function readQuestion(params: EtherscanParams): Asked | AtTime {
  const at = (): Readonly<Record<string, string>> => ({
    block_height: required(params, 'blockno', /^\d{1,16}$/, 'the number of a block'),
  });
  switch (`${params.get('module') ?? ''}/${params.get('action') ?? ''}`) {
    case 'account/balancehistory':
      return {
        path: '/balance/native',
        query: { holder: address(params, 'address'), ...at() },
        field: 'balance',
      };
    case 'account/tokenbalancehistory': {
      const query = { token_address: address(params, 'contractaddress'), holder: address(params, 'address') };
      return { path: '/balance/single', query: { ...query, ...at() }, field: 'balance' };
    }
    case 'stats/tokensupplyhistory': {
      const query = { token_address: address(params, 'contractaddress'), ...at() };
      return { path: '/supply', query, field: 'total_supply' };
    }
    case 'block/getblocknobytime':
      return readTime(params);
    default:
      throw new EtherscanError('Error! Missing Or invalid Action name');
  }
}

/** Asks for the last block at or before a moment. */
export function blockAt(seconds: number): Asked {
  return { path: '/block', query: { date: new Date(seconds * 1_000).toISOString() }, field: 'block_number' };
}

export function blockOf(number: number): Asked {
  return { path: '/block', query: { block_height: String(number) }, field: 'block_number' };
}

/** The text of an error of this API: Etherscan's, where it has one for the case. */
export function wordsOf({
  code = '',
  message = '',
}: {
  readonly code?: string;
  readonly message?: string;
}): string {
  if (code === 'key_missing') return 'Missing/Invalid API Key';
  if (code === 'key_invalid') return 'Invalid API Key';
  if (code === 'no_block_at_date') return 'Error! No closest block found';
  if (code.endsWith('_exceeded') && code !== 'deadline_exceeded') return `Max rate limit reached: ${message}`;
  return `Error! ${message}`;
}

export function answered(result: string): EtherscanAnswer {
  return { status: '1', message: 'OK', result };
}

export function refused(result: string): EtherscanAnswer {
  return { status: '0', message: 'NOTOK', result };
}

/** 9999-12-31T23:59:59Z. */
const LAST_SECOND = 253_402_300_799;

function readTime(params: EtherscanParams): AtTime {
  const seconds = Number(required(params, 'timestamp', /^\d{1,12}$/, 'Unix seconds'));
  if (seconds > LAST_SECOND) throw new EtherscanError('Error! No closest block found');
  const closest = required(params, 'closest', /^(before|after)$/, 'before or after');
  return { seconds, closest: closest as AtTime['closest'] };
}

function address(params: EtherscanParams, name: string): string {
  const given = params.get(name) ?? '';
  if (/^0x[0-9a-fA-F]{40}$/.test(given)) return given;
  throw new EtherscanError(`Error! Invalid ${name === 'address' ? 'address' : 'contract address'} format`);
}

function required(params: EtherscanParams, name: string, pattern: RegExp, expected: string): string {
  const given = params.get(name);
  if (given !== undefined && pattern.test(given)) return given;
  throw new EtherscanError(
    `Error! ${given === undefined ? 'Missing' : 'Invalid'} ${name}; expected ${expected}`,
  );
}
