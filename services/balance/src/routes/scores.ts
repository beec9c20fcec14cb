import { OPERATIONS, pathsOf } from '@hindsight/api/operations.ts';
import { MAX_JSON_ROWS, unitsOf } from '@hindsight/api/units.ts';
import { addressParam } from '@hindsight/chain/params.ts';
import { NODE_CODES, type ApiOperation } from '@hindsight/http/api-operation.ts';
import { sendUncached } from '@hindsight/http/cacheable.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { setUnits } from '@hindsight/http/units.ts';
import { withinDeadline } from '@hindsight/http/within-deadline.ts';
import { ApiError, notFound } from '@hindsight/kernel/errors.ts';
import { z } from 'zod';
import { networkFields, pinnedFields, type When } from '../domain/pinned.ts';
import { decimalText, sumOf, type Score } from '../domain/scores/score.ts';
import type { History } from '../ports.ts';
import { chainIdSchema, MAX_STRATEGIES, planStrategies } from '../scores/plan.ts';
import { readScores, type ScoresReading } from '../scores/read-scores.ts';
import { digits } from '../scores/strategies.ts';
import { network, pinned } from '../views/fields.ts';
import { JSON_BODY_CODES, QUESTION_ERRORS } from '../views/refusals.ts';

const chainId = chainIdSchema.meta({
  description: 'The network’s chain id: `"1"` is Ethereum’s',
});

const strategy = z.strictObject({
  name: z.string().max(100).meta({ description: 'The strategy, as Snapshot names it' }),
  network: chainId.optional(),
  params: z.record(z.string().max(100), z.unknown()).default({}).meta({
    description: 'Its parameters, as Snapshot has them',
  }),
});

const body = z.strictObject({
  params: z.strictObject({
    space: z
      .string()
      .regex(/^.{0,200}$/, 'expected at most 200 characters')
      .optional()
      .meta({ description: 'Not used: strategies depend on the state alone' }),
    network: chainId,
    snapshot: z
      .union([z.literal('latest'), z.int().min(0), digits(16)], 'expected the number of a block, or latest')
      .meta({ description: 'The number of a block of that network, or `latest`' }),
    strategies: z
      .array(strategy)
      .min(1)
      .max(MAX_STRATEGIES)
      .meta({ description: 'Those within `multichain` count, too' }),
    addresses: z.array(addressParam).min(0).max(MAX_JSON_ROWS).meta({ description: 'The voters' }),
  }),
});

const ADDRESS = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const DECIMAL = z.string().regex(/^-?\d+(\.\d+)?$/);
const floats = z.record(ADDRESS, z.number());
const exacts = z.record(ADDRESS, DECIMAL);

const scoresRecord = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.null(),
  cache: z.literal(false),
  result: z.object({
    state: z.enum(['final', 'pending']).meta({ description: '`pending` for `latest`' }),
    cache: z.literal(false),
    scores: z.array(floats).max(MAX_STRATEGIES).meta({
      description:
        'By strategy: the score of each address that has one above zero, as the float that Snapshot answers',
    }),
    exact: z.array(exacts).max(MAX_STRATEGIES).meta({ description: 'The same as exact decimal numbers' }),
    total: floats.meta({ description: 'The sums over the strategies, as Snapshot adds its floats' }),
    exact_total: exacts.meta({ description: 'The exact sums' }),
    blocks: z
      .array(z.object({ ...network, ...pinned }))
      .max(MAX_STRATEGIES + 1)
      .meta({ description: 'The block that was read of each network' }),
  }),
});

export const scores = {
  ...OPERATIONS.getScores,
  tag: 'Votes',
  summary: 'Get scores of voters',
  description:
    'Answers in the shape of Snapshot’s score API, so that a script only changes its URL. For strategies that depend on ' +
    'the state at a block alone: `erc20-balance-of`, `erc20-votes`, `erc20-with-balance`, `eth-balance`, `erc721`, ' +
    '`erc1155-balance-of`, `erc4626-assets-of`, `contract-call`, `ticket`, `whitelist`, and `multichain` over these. Any ' +
    'other is an error, and so is a contract that gives no number for an address, or a block above the head: no score is ever ' +
    'of another block. Other networks are read at their last block at or before the time of the snapshot; one process must ' +
    'serve all that a vote names. Costs one unit for every 100 scores begun.',
  body,
  success: {
    status: 200,
    name: 'Scores',
    schema: scoresRecord,
    cacheable: false,
    description: 'The scores by strategy and address',
  },
  codes: [
    'invalid_parameter',
    'missing_parameter',
    'unknown_parameter',
    'invalid_function',
    'invalid_arguments',
    'unknown_network',
    'block_above_head',
    'no_block_at_date',
    'strategy_unsupported',
    'strategy_failed',
    ...NODE_CODES,
    ...JSON_BODY_CODES,
  ],
  errors: {
    400: 'The body is malformed, or a strategy cannot have its parameters; the message names what is wrong',
    404: 'The network is not served, or the block is above the head',
    413: 'The body is larger than 1 MiB',
    415: 'The body is not sent as application/json',
    422: 'A strategy is not supported, or its contract gives no number for an address; the message names both',
    502: QUESTION_ERRORS[502],
    503: QUESTION_ERRORS[503],
    504: QUESTION_ERRORS[504],
  },
} as const satisfies ApiOperation;

/** POST /v1/scores: votes of addresses at a block. */
export function addScores(
  app: HttpServer,
  histories: ReadonlyMap<string, History>,
  deadlineMs: number,
): void {
  const byChain = new Map([...histories.values()].map((one) => [one.network.chainId, one]));
  const served = [...byChain.values()]
    .map(({ network: { chainId: id, name } }) => `${id} (${name})`)
    .join(', ');
  const historyOf = (id: number): History => {
    const found = byChain.get(id);
    if (found) return found;
    throw notFound(
      'unknown_network',
      `network: no network with the chain id ${id} is served; a vote is over networks that one process serves: ${served}`,
    );
  };
  const schema = { querystring: z.strictObject({}), body };
  const options = { schema, bodyLimit: scores.bulk.maxBytes };
  for (const path of pathsOf(scores))
    app.post(path, options, async (request, reply) => {
      const { network: id, snapshot, strategies, addresses } = request.body.params;
      const isLatest = snapshot === 'latest';
      const question = {
        main: historyOf(id),
        when: (isLatest ? snapshot : { height: snapshot }) as When,
        strategies: planStrategies(strategies, id, isLatest),
        addresses: [...new Set(addresses)],
        historyOf,
      };
      const reading = await withinDeadline(reply, deadlineMs, (signal) =>
        readScores(question, signal).catch(named),
      );
      const parts = question.strategies.reduce((sum, one) => sum + one.parts.length, 0);
      setUnits(reply, unitsOf(question.addresses.length * parts));
      return sendUncached(request, reply, JSON.stringify(toRecord(reading, question.addresses, isLatest)));
    });
}

function named(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  throw error.code === 'block_above_head'
    ? notFound(error.code, error.message.replace(/^\w+:/, 'params.snapshot:'))
    : error;
}

function toRecord(
  { blocks, scores: given }: ScoresReading,
  addresses: readonly string[],
  isLatest: boolean,
): z.output<typeof scoresRecord> {
  const totals = addresses.map((_, i) => sumOf(given.flatMap((one) => above(one?.[i]))));
  const rows = [...given, totals].map((one) =>
    addresses.flatMap((address, i) => above(one?.[i]).map((score) => ({ address, score }))),
  );
  const asFloats = rows.map((row) =>
    Object.fromEntries(row.map(({ address, score }) => [address, score.float])),
  );
  const asText = rows.map((row) =>
    Object.fromEntries(row.map(({ address, score }) => [address, decimalText(score.exact)])),
  );
  return {
    jsonrpc: '2.0',
    id: null,
    cache: false,
    result: {
      state: isLatest ? 'pending' : 'final',
      cache: false,
      scores: asFloats.slice(0, -1),
      exact: asText.slice(0, -1),
      total: asFloats.at(-1)!,
      exact_total: asText.at(-1)!,
      blocks: blocks.map((one) => ({ ...networkFields(one.network), ...pinnedFields(one.block) })),
    },
  };
}

/** Scores of zero and below are left out, as Snapshot does. */
function above(score: Score | undefined): readonly Score[] {
  return score !== undefined && score.float > 0 ? [score] : [];
}
