import { OPERATIONS } from '@hindsight/api/operations.ts';
import { MAX_JSON_ROWS, unitsOf } from '@hindsight/api/units.ts';
import { NETWORKS } from '@hindsight/chain/networks.ts';
import { networkParam } from '@hindsight/chain/params.ts';
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import { sendUncached } from '@hindsight/http/cacheable.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { setUnits } from '@hindsight/http/units.ts';
import { parseWith } from '@hindsight/http/validation.ts';
import type { ApiError } from '@hindsight/kernel/errors.ts';
import { z } from 'zod';
import type { ManyBalances } from '../ports.ts';
import { answerOverNetworks, type NetworkQuestion } from '../rows/batch-over-networks.ts';
import { balanceBatch, batchSchema, batchShape, checkBody, questionOf } from './balance-batch.ts';
import { clientSignal } from './client-signal.ts';

/** A row's schema. @param served the values of networks by name */
const rowOf = <T>(served: ReadonlyMap<string, T>) =>
  z.strictObject(
    {
      network: networkParam(served).meta({ description: 'The row’s network, as paths name it' }),
      ...batchShape,
    },
    {
      error: ({ code }) =>
        code === 'invalid_type'
          ? 'row: expected an object with network, token_address and holder'
          : undefined,
    },
  );

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
  body: z.array(rowOf(NETWORKS)).min(1).max(MAX_JSON_ROWS),
  success: { ...balanceBatch.success, name: 'NetworksBalanceBatch' },
  errors: Object.fromEntries(Object.entries(balanceBatch.errors).filter(([status]) => status !== '404')),
};

/** Adds the route. @param networks those that are served, by name */
export function addNetworksBatch(
  app: HttpServer,
  networks: ReadonlyMap<string, ManyBalances>,
  deadlineMs: number,
): void {
  const row = rowOf(networks);
  const options = { schema: batchSchema, bodyLimit: networksBatch.bulk!.maxBytes, onRequest: checkBody };
  app.post(networksBatch.path, options, async (request, reply) => {
    const questions = request.body.map((value) => toQuestion(row, value));
    const answers = await answerOverNetworks(questions, clientSignal(reply), deadlineMs);
    setUnits(reply, unitsOf(questions.length));
    return sendUncached(request, reply, JSON.stringify(answers));
  });
}

function toQuestion(row: ReturnType<typeof rowOf<ManyBalances>>, value: unknown): NetworkQuestion | ApiError {
  const read = parseWith(row, value);
  if ('error' in read) return read.error;
  const { network: many, ...asked } = read.value;
  try {
    return { many, ...questionOf(asked) };
  } catch (error) {
    return error as ApiError;
  }
}
