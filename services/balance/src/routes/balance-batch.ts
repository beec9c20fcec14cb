import { OPERATIONS } from '@hindsight/api/operations.ts';
import { MAX_JSON_ROWS, unitsOf } from '@hindsight/api/units.ts';
import { NETWORKS } from '@hindsight/chain/networks.ts';
import { heightParam, networkParam, whenParams } from '@hindsight/chain/params.ts';
import { NODE_CODES, PARAMETER_CODES, type ApiOperation } from '@hindsight/http/api-operation.ts';
import { sendUncached } from '@hindsight/http/cacheable.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { setUnits } from '@hindsight/http/units.ts';
import { parseWith } from '@hindsight/http/validation.ts';
import type { ApiError } from '@hindsight/kernel/errors.ts';
import { z } from 'zod';
import type { ManyBalances } from '../ports.ts';
import { answerBatch, type BatchQuestion } from '../rows/batch.ts';
import { refuseOther } from './bulk-body.ts';
import { clientSignal } from './client-signal.ts';
import { account, assetParam, pathParams, readWhen } from '../views/parameters.ts';
import { BODY_CODES, QUESTION_ERRORS } from '../views/refusals.ts';
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
const shape = {
  token_address: assetParam.meta({ description: 'The token contract; `native` for the chain’s own coin' }),
  holder: account('The wallet: an address or an ENS name'),
  ...whenParams,
  block_height: height.optional().meta({ ...whenParams.block_height.meta(), type: 'integer', minimum: 0 }),
};
const rowOf = <S extends z.ZodRawShape>(own: S, expected: string) =>
  z.strictObject(
    { ...own, ...shape },
    {
      error: ({ code }) => (code === 'invalid_type' ? `row: expected an object with ${expected}` : undefined),
    },
  );
const row = rowOf({}, 'token_address and holder');
/** A row with its network. @param served the values of networks by name */
const networkRowOf = <T>(served: ReadonlyMap<string, T>) =>
  rowOf(
    { network: networkParam(served).meta({ description: 'The row’s network, as paths name it' }) },
    'network, token_address and holder',
  );

const NOT_ROWS = `body: expected ${BODY.expected}`;
const rows = z.array(z.unknown(), NOT_ROWS).min(1, NOT_ROWS).max(MAX_JSON_ROWS, NOT_ROWS);

const querystring = z.strictObject({});

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

const { params: _, ...alike } = balanceBatch;

/** POST /v1/balance/batch: many balances, each on any network at any block. */
export const networksBatch: ApiOperation = {
  ...alike,
  ...OPERATIONS.getNetworksBalanceBatch,
  tag: 'Networks',
  summary: 'Get balances in bulk, on several networks',
  description:
    'As `POST /v1/{network}/balance/batch`, each row with its `network`. A network that is not served is an error of its ' +
    'rows, and so is one whose nodes are unavailable: the rows of the others are answered as ever. Rows of one network and one ' +
    'block are read together. A request costs one unit for each 100 rows that are started.',
  body: z.array(networkRowOf(NETWORKS)).min(1).max(MAX_JSON_ROWS),
  success: { ...balanceBatch.success, name: 'NetworksBalanceBatch' },
  errors: Object.fromEntries(Object.entries(balanceBatch.errors).filter(([status]) => status !== '404')),
};

/** Adds both routes. @param networks those that are served, by name */
export function addBatches(
  app: HttpServer,
  networks: ReadonlyMap<string, ManyBalances>,
  deadlineMs: number,
): void {
  const networkRow = networkRowOf(networks);
  // Each row is read by itself.
  const schema = {
    params: z.object({ network: networkParam(networks).optional() }),
    querystring,
    body: rows,
  };
  const options = { schema, bodyLimit: BODY.maxBytes, onRequest: refuseOther(BODY) };
  for (const { path } of [balanceBatch, networksBatch])
    app.post(path, options, async (request, reply) => {
      const { network } = request.params;
      const questions = request.body.map((value) => {
        const read = network ? parseWith(row, value) : parseWith(networkRow, value);
        return 'error' in read ? read.error : toQuestion({ network, ...read.value });
      });
      const answers = await answerBatch(questions, clientSignal(reply), deadlineMs);
      setUnits(reply, unitsOf(questions.length));
      return sendUncached(request, reply, JSON.stringify(answers));
    });
}

/** The question of a row; an error where it names its block in more than one way. */
function toQuestion({
  network,
  token_address: asset,
  holder,
  ...named
}: z.output<typeof row> & { readonly network?: ManyBalances | undefined }): BatchQuestion | ApiError {
  try {
    // A path without a network has one in each row.
    return { many: network!, asset, holder, when: readWhen(named) };
  } catch (error) {
    return error as ApiError;
  }
}
