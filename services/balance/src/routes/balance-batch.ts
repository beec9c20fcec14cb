import { OPERATIONS } from '@hindsight/api/operations.ts';
import { MAX_JSON_ROWS, unitsOf } from '@hindsight/api/units.ts';
import { heightParam, networkParam, whenParams } from '@hindsight/chain/params.ts';
import { PARAMETER_CODES, type ApiOperation } from '@hindsight/http/api-operation.ts';
import { sendUncached } from '@hindsight/http/cacheable.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { setUnits } from '@hindsight/http/units.ts';
import { parseWith } from '@hindsight/http/validation.ts';
import type { ApiError } from '@hindsight/kernel/errors.ts';
import { z } from 'zod';
import type { ManyBalances } from '../ports.ts';
import { answerBatch, type BatchQuestion } from '../rows/batch.ts';
import { checkBulkBody } from './bulk-body.ts';
import { clientSignal } from './client-signal.ts';
import { account, assetParam, pathParams, readWhen } from '../views/parameters.ts';
import { BODY_CODES, NODE_CODES, QUESTION_ERRORS } from '../views/refusals.ts';
import { balanceNative } from '../views/balance-native.ts';
import { balanceSingle } from '../views/balance-single.ts';
import { rowError } from '../views/fields.ts';

const BODY = {
  types: ['application/json'],
  maxBytes: OPERATIONS.getBalanceBatch.bulk.maxBytes,
  expected: `a JSON array of 1 to ${MAX_JSON_ROWS} rows`,
} as const;

/** In JSON a height may be a number, too: written out, one that is no height is refused by the same words as a text. */
const height = z.preprocess((value) => (typeof value === 'number' ? String(value) : value), heightParam);

/** The fields of a row, but for its network. */
export const batchShape = {
  token_address: assetParam.meta({ description: 'The token contract; `native` for the chain’s own coin' }),
  holder: account('The wallet: an address or an ENS name'),
  ...whenParams,
  block_height: height.optional().meta({ ...whenParams.block_height.meta(), type: 'integer', minimum: 0 }),
};
const row = z.strictObject(batchShape, {
  error: ({ code }) =>
    code === 'invalid_type' ? 'row: expected an object with token_address and holder' : undefined,
});

const NOT_ROWS = `body: expected ${BODY.expected}`;
const rows = z.array(z.unknown(), NOT_ROWS).min(1, NOT_ROWS).max(MAX_JSON_ROWS, NOT_ROWS);

const querystring = z.strictObject({});

/** A batch as it comes; each row is read by itself. */
export const batchSchema = { querystring, body: rows };

/** POST /v1/{network}/balance/batch: many balances, each at any block. */
export const balanceBatch: ApiOperation = {
  ...OPERATIONS.getBalanceBatch,
  tag: 'Balances',
  summary: 'Get balances in bulk',
  description:
    'Answers up to 1,000 questions at once, each about a holder, a token (or `native`) and a block of its own. The ' +
    'answer is an array in the same order: for each row the record that `balance/single` or `balance/native` would ' +
    'return, or `{error: {message, error, statusCode, code}}` for that row alone. Rows of one block are read together, so ' +
    'that rows without a block are all about the same latest one. A request costs one unit for each 100 rows that are ' +
    'started.',
  params: pathParams,
  querystring,
  body: z.array(row).min(1).max(MAX_JSON_ROWS),
  success: {
    status: 200,
    name: 'BalanceBatch',
    schema: z.array(
      z.union([balanceSingle.operation.success.schema, balanceNative.operation.success.schema, rowError]),
    ),
    cacheable: false,
    description: 'An answer for each row, in their order',
  },
  codes: [...PARAMETER_CODES, ...BODY_CODES, ...NODE_CODES],
  errors: {
    400: 'The body is not an array of 1 to 1,000 rows. What is wrong with a row is an error of that row',
    404: 'No such network',
    411: 'The request has no `Content-Length`',
    413: 'The body is larger than 1 MiB',
    415: 'The body is not `application/json`, or it is compressed',
    502: QUESTION_ERRORS[502],
    503: QUESTION_ERRORS[503],
  },
};

/** Adds the route. @param networks those that are served, by name */
export function addBalanceBatch(
  app: HttpServer,
  networks: ReadonlyMap<string, ManyBalances>,
  deadlineMs: number,
): void {
  const params = z.object({ network: networkParam(networks) });
  const schema = { params, ...batchSchema };
  const options = { schema, bodyLimit: BODY.maxBytes, onRequest: checkBody };
  app.post(balanceBatch.path, options, async (request, reply) => {
    const questions = request.body.map(toQuestion);
    const many = request.params.network;
    const answers = await answerBatch(many, questions, clientSignal(reply), deadlineMs);
    setUnits(reply, unitsOf(questions.length));
    return sendUncached(request, reply, JSON.stringify(answers));
  });
}

/** Refuses a body of another kind, or too long a one, before any of it is read. */
export function checkBody(
  request: Parameters<typeof checkBulkBody>[0],
  _reply: unknown,
  done: () => void,
): void {
  checkBulkBody(request, BODY);
  done();
}

function toQuestion(value: unknown): BatchQuestion | ApiError {
  const read = parseWith(row, value);
  if ('error' in read) return read.error;
  try {
    return questionOf(read.value);
  } catch (error) {
    return error as ApiError;
  }
}

/** The question of a row that was read. @throws {ApiError} 400 where it names its block in more than one way */
export function questionOf({
  token_address: asset,
  holder,
  ...named
}: z.output<z.ZodObject<typeof batchShape>>): BatchQuestion {
  return { asset, holder, when: readWhen(named) };
}
