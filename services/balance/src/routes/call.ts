import { OPERATIONS } from '@hindsight/api/operations.ts';
import { MAX_JSON_ROWS, unitsOf } from '@hindsight/api/units.ts';
import { Turns } from '@hindsight/kernel/turns.ts';
import { z } from 'zod';
import { noContract } from '../domain/call/call.ts';
import { ChecksumBudget, encodeCall } from '../domain/call/encode.ts';
import { parseFunction, type AbiFunction } from '../domain/call/signature.ts';
import { networkFields, pinnedFields } from '../domain/pinned.ts';
import type { Resolved } from '../domain/question.ts';
import type { StateAt } from '../ports.ts';
import { outcomes, signature } from '../views/call-fields.ts';
import { network, pinned, resolved, rowError } from '../views/fields.ts';
import { account, readWhen, whenBody } from '../views/parameters.ts';
import { defineBodyRoute } from './body-route.ts';

const callRecord = z.object({
  ...network,
  target: resolved('The contract'),
  function: z.string().meta({ description: 'The signature in full, as it was understood' }),
  ...pinned,
  results: z
    .array(z.union([z.object(outcomes.returned), z.object({ reverted: outcomes.reverted }), rowError]))
    .max(MAX_JSON_ROWS)
    .meta({ description: 'One result for each row of `args`, in their order' }),
});

/** POST /v1/{network}/call: a view's values for many lists of arguments at one block. */
export const call = defineBodyRoute({
  operation: {
    ...OPERATIONS.callView,
    tag: 'Calls',
    summary: 'Call a view',
    description:
      'Calls any function of any contract at any block or date, with up to 1,000 lists of arguments, all at the same block. ' +
      'Nothing is changed: what a function writes is dropped. Rows share calls, in which `msg.sender` is ' +
      '0xBd770416a3345F91E4B34576cb804a576fa48EB1 (before Byzantium, block 4,370,000, the zero address) and `tx.origin` the ' +
      'zero address. Up to 16 rows that revert are asked again by a plain `eth_call`, whose `msg.sender` is the zero address ' +
      'too; if one of them then answers, all are asked so. A row that reverts both times says why; it is no error of the ' +
      'request. An answer that does not have the declared types is an error of its row; of a signature without `returns` nothing is ' +
      'decoded: `values` are empty, and `data` has the answer. Each call gets 1,000,000 gas; up to 16 rows that want more get 20,000,000. At most 16,383 bytes of ' +
      'an answer are read. The arguments of a row take at most 4,096 bytes; of checksummed addresses a request may have four ' +
      'for each row, and 256 at least (in lower case, as many as fit). Costs one unit for every 100 rows begun.',
    success: { name: 'CallResults', schema: callRecord, description: 'A result for each row' },
    codes: ['no_contract', 'invalid_function', 'invalid_arguments'],
    errors: {
      400: 'The body is malformed, the signature cannot be read, or an argument does not fit its type; the message names row and argument',
      404: 'No such network, no contract at the block, a name without an address at the block, or a block above the head',
    },
  },
  body: z.strictObject({
    target: account('The contract: an address or an ENS name'),
    function: signature,
    args: z
      .array(z.array(z.unknown(), 'expected a list of arguments'), 'expected a list of lists of arguments')
      .min(1, 'expected at least one list of arguments; [[]] for a function without any')
      .max(MAX_JSON_ROWS, `expected at most ${MAX_JSON_ROWS} lists of arguments`)
      .meta({
        description:
          'A list of arguments for each call. Numbers are strings (or whole JSON numbers), bytes and addresses hexadecimal ' +
          'strings, arrays lists, tuples lists or objects.',
      }),
    ...whenBody,
  }),
  async read(history, { target, function: text, args, ...when }, signal) {
    const called = parseFunction(text);
    const rows = await encodeRows(called, args);
    const question = { asked: { target }, when: readWhen(when) };
    const read = async (
      state: StateAt,
      { target }: Resolved<typeof question.asked>,
    ): Promise<z.output<typeof callRecord>> => {
      const codeSize = await state.codeSize(target);
      if (codeSize === 0) throw noContract(target, state.pinned.number);
      const results = [...(await state.calls(target, called, rows))];
      const pinned = pinnedFields(state.pinned);
      return { ...networkFields(history.network), target, function: called.text, ...pinned, results };
    };
    const { answer } = await history.read(question, read, signal);
    return { record: answer, units: unitsOf(rows.length) };
  },
});

/** The data of each row's call. @throws {ApiError} 400 that names row and argument */
async function encodeRows(called: AbiFunction, args: readonly unknown[][]): Promise<readonly string[]> {
  const rows: string[] = [];
  const turns = new Turns();
  const checksums = new ChecksumBudget(args.length);
  for (const [i, row] of args.entries()) {
    rows.push(encodeCall(called, row, `args[${i}]`, checksums));
    await turns.next();
  }
  return rows;
}
