/** The parameters that several endpoints share, as zod schemas whose messages say what is expected. */
import { z } from 'zod';
import { addressFault, toChecksum } from '../chain/address.ts';
import { NETWORKS } from '../chain/networks.ts';
import { NOT_FOUND_FAULT } from './validation.ts';

/** The `{network}` of a path, parsed to the registry's entry; an unknown one is a 404. */
export const networkParam = z.string().transform((name, context) => {
  const network = NETWORKS.get(name);
  if (network !== undefined) return network;
  const message = `Unknown network ${name.slice(0, 60)}; supported: ${[...NETWORKS.keys()].join(', ')}`;
  context.addIssue({ code: 'custom', message, params: NOT_FOUND_FAULT });
  return z.NEVER;
});

/** An address in any case; mixed case must carry a right checksum. Parsed to EIP-55. */
export const addressParam = z.string().transform((value, context) => {
  const fault = addressFault(value);
  if (fault === undefined) return toChecksum(value);
  context.addIssue({ code: 'custom', message: fault });
  return z.NEVER;
});

const HEIGHT_EXPECTED = 'expected a block height: a whole decimal number from 0';

/** A block height: decimal digits, within the numbers that are exact. */
export const heightParam = z.string().transform((value, context) => {
  const number = /^\d{1,16}$/.test(value) ? Number(value) : NaN;
  if (Number.isSafeInteger(number)) return number;
  const what =
    value === '' ? 'it is empty; ' : /^\d+$/.test(value) ? 'it is larger than any block height; ' : '';
  context.addIssue({ code: 'custom', message: `${what}${HEIGHT_EXPECTED}` });
  return z.NEVER;
});
