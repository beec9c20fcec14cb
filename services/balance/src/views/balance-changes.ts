import { OPERATIONS } from '@hindsight/api/operations.ts';
import { boundParam, networkParam } from '@hindsight/chain/params.ts';
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { unitsOf } from '@hindsight/api/units.ts';
import { z } from 'zod';
import { readCursor, toChangesRecord, type ChangesCursor, type ChangesQuestion } from '../domain/changes.ts';
import { NATIVE } from '../domain/asset.ts';
import type { History } from '../ports.ts';
import type { Answers } from '../routes/answers.ts';
import { account, assetParam, pathParams } from './parameters.ts';
import { changesRecord } from './records.ts';
import { QUESTION_CODES, QUESTION_ERRORS, TOKEN_CODES } from './refusals.ts';

const DEFAULT_LIMIT = 100;
const { perUnit: CHANGES_PER_UNIT, most: MAX_LIMIT } = OPERATIONS.listBalanceChanges.units;

const limitParam = z
  .string()
  .transform((text, context): number => {
    const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
    if (limit >= 1 && limit <= MAX_LIMIT) return limit;
    context.addIssue({ code: 'custom', message: `expected a whole number from 1 to ${MAX_LIMIT}` });
    return z.NEVER;
  })
  .meta({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT });

const cursorParam = z
  .string()
  .transform((text, context): ChangesCursor => {
    const cursor = text.length > 200 ? undefined : readCursor(text);
    if (cursor !== undefined) return cursor;
    context.addIssue({ code: 'custom', message: 'expected the next of an earlier answer' });
    return z.NEVER;
  })
  .meta({ minLength: 1, maxLength: 200 });

const querystring = z.strictObject({
  token_address: assetParam.meta({ description: 'The token contract, or `native` for ether' }),
  holder: account('The wallet: an address or an ENS name, which is resolved at the last block'),
  from: boundParam.meta({
    description:
      'The block whose state is the beginning: a height, or an ISO 8601 date (UTC if it names no zone)',
  }),
  to: boundParam.optional().meta({
    description: 'The last block: a height, or an ISO 8601 date. Without it, the latest block.',
  }),
  limit: limitParam.optional().meta({ description: 'The most changes of an answer' }),
  cursor: cursorParam.optional().meta({
    description:
      'The `next` of the answer before: continues there, up to the same last block. Everything else but `limit` is as before',
  }),
});

/** The route as documented. */
export const balanceChanges = {
  ...OPERATIONS.listBalanceChanges,
  tag: 'Balances',
  summary: 'List balance changes',
  description:
    'Returns the blocks in which a wallet’s balance of a token changed, after one block and up to another, with the ' +
    'balance before and after each. Events only say where to look: the balance is read from the state at each block and at ' +
    'the one before. A change that no event explains, a rebase for instance, has the cause `state`; it happened after ' +
    '`after_block` and by `block`, which a bounded search brings as close together as it can. Such changes that cancel each ' +
    'other out between two events may go unseen, as may those of a token whose events do not index holders (CryptoKitties). Ether’s transfers are logged from Glamsterdam on; before, and for fees, withdrawals and rewards, ' +
    'changes are found in the state alone, each at its block, and `complete` says whether any may be missing. `next` is null on the last page. Costs one unit for every 10 changes ' +
    'begun, at least one.',
  params: pathParams,
  querystring,
  success: {
    status: 200,
    name: 'BalanceChanges',
    schema: changesRecord,
    cacheable: true,
    description: 'The changes, the oldest first',
  },
  codes: [...QUESTION_CODES, ...TOKEN_CODES, 'invalid_range'],
  errors: {
    ...QUESTION_ERRORS,
    400: `${QUESTION_ERRORS[400]}. Also for ends in the wrong order, and an ERC-1155 contract`,
    404: 'No such network, no token, a name without an address at the last block, an end above the head, or a cursor whose last block was reorganised away',
  },
} as const satisfies ApiOperation;

/** GET /v1/{network}/balance/changes: the blocks in which a balance changed. */
export function addBalanceChanges(
  app: HttpServer,
  histories: ReadonlyMap<string, History>,
  answers: Answers,
): void {
  const params = z.object({ network: networkParam(histories) });
  app.get(balanceChanges.path, { schema: { params, querystring } }, (request, reply) => {
    const { network: history } = request.params;
    const { token_address: token, holder, from, to, limit, cursor } = request.query;
    const question: ChangesQuestion = {
      token: token === NATIVE ? null : token,
      holder,
      from,
      to: to ?? 'latest',
      limit: limit ?? DEFAULT_LIMIT,
      cursor,
    };
    return answers.sendComputed(request, reply, async (signal) => {
      const reading = await history.changes(question, signal);
      const record = toChangesRecord(history.network, reading);
      const units = unitsOf(record.changes.length, CHANGES_PER_UNIT);
      return { record, units, lasting: reading.lasting };
    });
  });
}
