/** The parameters and the outcomes of calls, in the format of bodies and answers. */
import { z } from 'zod';
import type { CallValue } from '../domain/call/call.ts';
import { MAX_SIGNATURE } from '../domain/call/signature.ts';
import { errorInPlace } from './fields.ts';

export const signature = z.string('expected a signature as a string').meta({
  description:
    'The function’s signature as Solidity writes it, with the types that it returns: without `returns (…)` nothing of its ' +
    'answer is decoded, `values` is empty, and `data` has the answer',
  minLength: 1,
  maxLength: MAX_SIGNATURE,
});

/** The document has no recursive schemas: of a list within a list nothing further is said. */
const list = z.array(z.unknown()) as unknown as z.ZodType<readonly CallValue[]>;

const value = z.union([z.string(), z.boolean(), list]).meta({
  description:
    'Numbers are decimal strings, bytes and addresses (EIP-55) hexadecimal ones; arrays and tuples are lists of values',
});

/** The ways in which a call can end, each a field of its row. */
export const outcomes = {
  returned: {
    values: z.array(value).meta({ description: 'The values that the function returned, decoded' }),
    data: z
      .string()
      .regex(/^0x([0-9a-f]{2})+$/)
      .optional()
      .meta({ description: 'What a function whose signature has no `returns (…)` answered, as it is' }),
  },
  reverted: z
    .object({
      reason: z.string().nullable().meta({
        description: 'The text of Error(string), or the meaning of Panic(uint256); else null',
      }),
      data: z
        .string()
        .regex(/^0x[0-9a-f]*$/)
        .meta({
          description: 'The data that the contract returned, such as a custom error; its first 4,096 bytes',
        }),
    })
    .meta({ description: 'The call reverted' }),
  error: errorInPlace,
};
