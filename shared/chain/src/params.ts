/** Parameters of several endpoints, as zod schemas whose messages name the expectation. */
import { z } from 'zod';
import { readAddress } from './address.ts';
import { MAX_NAME_LENGTH } from './ens/name.ts';
import { aheadOf, dateFault, dateParam } from './dates/date-param.ts';
import { NETWORKS } from './networks.ts';
import { textParam } from './text-param.ts';
import { faultOf } from '@hindsight/http/validation.ts';
import { NETWORK_NAME } from '@hindsight/kernel/service-settings.ts';
import { badRequest } from '@hindsight/kernel/errors.ts';

/**
 * The `{network}` of a path, parsed to the process's value for it; one that is not served is a 404.
 * @param served values by the network's name
 */
export function networkParam<T>(served: ReadonlyMap<string, T>) {
  const names = [...served.keys()];
  return z
    .string()
    .transform((name, context) => {
      const found = served.get(name);
      if (found !== undefined) return found;
      const message = NETWORKS.has(name)
        ? `The network ${name} is not served here; served: ${names.join(', ')}`
        : `Unknown network ${name.slice(0, 60)}; supported: ${names.join(', ')}`;
      context.addIssue({ code: 'custom', message, params: faultOf('unknown_network') });
      return z.NEVER;
    })
    .meta(describeNetworks(names));
}

/** The documentation of a network's name: those that are known, and chains of the operator's own. */
export function describeNetworks(names: readonly string[]) {
  const description = `The network, as GET /v1/networks names it: ${names.join(', ')}, or one of the operator’s own`;
  return { description, pattern: NETWORK_NAME.source, examples: names.slice(0, 1) };
}

/** An address in any case; mixed case must carry a right checksum. Parsed to EIP-55. */
export const addressParam = textParam((value, refuse) => {
  const read = readAddress(value);
  return 'address' in read ? read.address : refuse(read.fault);
}).meta({ pattern: '^0x[0-9a-fA-F]{40}$' });

/** A block height: decimal digits, within the numbers that are exact. */
export const heightParam = textParam((value, refuse) => {
  const number = /^\d{1,16}$/.test(value) ? Number(value) : NaN;
  if (Number.isSafeInteger(number)) return number;
  const fault = numberFault(value, 'any block height');
  return refuse(`${fault}expected a block height: a whole decimal number from 0`);
}).meta({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** The reason why a text is no number that fits, before the words on what is expected. */
function numberFault(value: string, most: string): string {
  if (value === '') return 'it is empty; ';
  return /^\d+$/.test(value) ? `it is larger than ${most}; ` : '';
}

/** A block's hash, in any case. Parsed to lower case. */
export const blockHashParam = textParam((value, refuse) => {
  if (/^0x[0-9a-f]{64}$/i.test(value)) return value.toLowerCase();
  const fault = value === '' ? 'it is empty; ' : '';
  return refuse(`${fault}expected a block hash: 0x and 64 hexadecimal digits`);
}).meta({ pattern: '^0x[0-9a-fA-F]{64}$' });

/** An account as given: an address (parsed to EIP-55), or a name. */
type GivenAccount = { readonly address: string } | { readonly name: string };

/** Reads an address, or an ENS name: any text with a dot. @returns the account, or the fault */
export function readAccount(value: string): GivenAccount | { readonly fault: string } {
  if (value.includes('.')) return { name: value };
  const read = readAddress(value);
  if ('address' in read || value.startsWith('0x')) return read;
  return { fault: `${read.fault}, or an ENS name` };
}

/** An address, or an ENS name. A name is normalised and validated when it is resolved. */
export const accountParam = textParam((value, refuse): GivenAccount => {
  const read = readAccount(value);
  return 'fault' in read ? refuse(read.fault) : read;
}).meta({ minLength: 3, maxLength: MAX_NAME_LENGTH });

const MAX_UINT256 = 2n ** 256n - 1n;

/** The id of an ERC-721 or ERC-1155 token: a decimal number of up to 256 bits. */
export const tokenIdParam = textParam((value, refuse) => {
  const id = /^\d{1,78}$/.test(value) ? BigInt(value) : -1n;
  if (id >= 0n && id <= MAX_UINT256) return id;
  return refuse(`${numberFault(value, '2^256-1')}expected a token id: a whole decimal number from 0`);
}).meta({ pattern: '^[0-9]{1,78}$' });

const BOUND_EXPECTED = `expected a block height, or a date in ISO 8601 such as 2023-08-26T16:21:35Z`;

type GivenBound = { height: number } | { date: number; fraction?: true };

/** An end of a range: a block height, or a date, with `fraction` where the moment is between two seconds. */
export const boundParam = textParam(readBound).meta({ minLength: 1, maxLength: 40 });

/** The beginning of a range in steps: with `ahead`, the seconds by which the zone of a date is ahead of UTC. */
export const beginParam = textParam((value, refuse) => ({
  ...readBound(value, refuse),
  ahead: aheadOf(value),
})).meta({ minLength: 1, maxLength: 40 });

function readBound(value: string, refuse: (fault: string) => never): GivenBound {
  const height = heightParam.safeParse(value);
  if (height.success) return { height: height.data };
  const date = dateParam.safeParse(value);
  if (!date.success) return refuse(`${dateFault(value)}${BOUND_EXPECTED}`);
  return { date: date.data, ...(/[.,]\d*[1-9]/.test(value) && { fraction: true }) };
}

/** The most rows of a page, as text. @param most the greatest, of at most seven digits */
export const pageLimitParam = (most: number) =>
  textParam((text, refuse): number => {
    const limit = /^\d{1,7}$/.test(text) ? Number(text) : 0;
    return limit >= 1 && limit <= most ? limit : refuse(`expected a whole number from 1 to ${most}`);
  }).meta({ type: 'integer', minimum: 1, maximum: most });

/** The `next` of an earlier answer. @param read undefined for a text that is no cursor */
export const cursorParam = <C>(read: (text: string) => C | undefined, maxLength: number) =>
  textParam((text, refuse): C => {
    const cursor = text.length > maxLength ? undefined : read(text);
    return cursor ?? refuse('expected the next of an earlier answer');
  }).meta({ minLength: 1, maxLength });

/** The parameters that say which block is meant: one of them at most. */
export const whenParams = {
  block_height: heightParam
    .optional()
    .meta({ description: 'The block number. Without it, date and block_hash, the latest block is used.' }),
  date: dateParam.optional().meta({
    description:
      'An ISO 8601 date, in UTC if it names no zone. The last block at or before it is used, in place of block_height.',
  }),
  block_hash: blockHashParam.optional().meta({
    description: 'The hash of a block of the canonical chain, in place of block_height. Any other is a 404.',
  }),
};

export type WhenQuery = Readonly<z.output<z.ZodObject<typeof whenParams>>>;

/** Refuses a query that names its block in more than one way. @throws {ApiError} 400 */
export function refuseSeveralBlocks(query: WhenQuery): void {
  const given = (['block_height', 'date', 'block_hash'] as const).filter(
    (field) => query[field] !== undefined,
  );
  if (given.length <= 1) return;
  const last = given.pop();
  throw badRequest(
    `${last}: given together with ${given.join(' and ')}; expected one of them`,
    'conflicting_parameters',
  );
}
