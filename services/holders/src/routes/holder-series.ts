import { OPERATIONS } from '@hindsight/api/operations.ts';
import { pointsOnGrid } from '@hindsight/api/series-grid.ts';
import { largestUnits, MAX_HOLDERS_READ } from '@hindsight/api/units.ts';
import { NETWORKS } from '@hindsight/chain/networks.ts';
import {
  addressParam,
  boundParam,
  networkParam,
  pageLimitParam,
  tokenIdParam,
} from '@hindsight/chain/params.ts';
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import { sendUncached } from '@hindsight/http/cacheable.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { setUnits } from '@hindsight/http/units.ts';
import { withinDeadline } from '@hindsight/http/within-deadline.ts';
import { ApiError, badRequest } from '@hindsight/kernel/errors.ts';
import { z } from 'zod';
import { idOf, namingIds } from './holder-question.ts';
import { addressesOf, behind, changed, openQuestion, type OpenQuestion } from './indexed-question.ts';
import { holderSeriesRecord, type HolderSeries } from './records.ts';
import { tokenHolders, type ServedList } from './token-holders.ts';
import { firstOf, namingEnd, toWhen } from './transfer-question.ts';

const MAX_POINTS = 100;
const DEFAULT_POINTS = 12;
const READ = MAX_HOLDERS_READ.toLocaleString('en');

const querystring = z.strictObject({
  token_address: addressParam.meta({ description: 'The token contract' }),
  token_id: tokenIdParam.optional().meta({ description: 'One id of an ERC-1155' }),
  from: boundParam.optional().meta({
    description:
      'The first point: a height, or an ISO 8601 date (the first block at or after it). Where the index begins if not given',
  }),
  to: boundParam.optional().meta({
    description: 'The last point: a height, or an ISO 8601 date. Without it, the latest block',
  }),
  points: pageLimitParam(MAX_POINTS)
    .optional()
    .meta({
      description: `Points from end to end, evenly spaced in blocks, fewer where there are not as many; ${DEFAULT_POINTS} if not given`,
    }),
});

export const holderSeries = {
  ...OPERATIONS.getHolderSeries,
  tag: 'Tokens',
  summary: 'Count the holders of a token over time',
  description: `How many addresses had a balance above zero at each of up to ${MAX_POINTS} evenly spaced blocks. Every balance is read from the state of every one of these blocks, so the counts are exact; an address whose balance could not be read is among \`errors\`, not among \`holders\`. Where there was no such token, \`holders\` is null.

\`index.complete\` says whether all addresses that events have ever named are in the index. Otherwise holders from before it begins are not counted.

At most ${READ} balances are read: the addresses that events name up to the last point, times the points. What was read is kept for its block, so after a 504 ask again, with heights as \`from\` and \`to\`.

Costs 5 units, and one for each 1,000 addresses that are read, over all points, and started.`,
  params: z.object({ network: networkParam(NETWORKS) }),
  querystring,
  success: {
    status: 200,
    name: 'HolderSeries',
    schema: holderSeriesRecord,
    cacheable: false,
    description: 'The counts, the earliest first',
  },
  codes: [
    ...tokenHolders.codes.filter(
      (code) =>
        code !== 'conflicting_parameters' && code !== 'block_not_canonical' && code !== 'streams_exceeded',
    ),
    'invalid_range',
  ],
  errors: {
    ...tokenHolders.errors,
    400: 'A parameter is malformed, unknown or given twice, or the ends are in the wrong order; the message names it and says what is expected. Also for an ERC-1155 contract without `token_id`',
    422: 'Too many balances would have to be read',
  },
} as const satisfies ApiOperation;

type Query = z.output<typeof querystring>;

/** Adds the route. @param served by the network's name */
export function addHolderSeries(
  app: HttpServer,
  served: ReadonlyMap<string, ServedList>,
  deadlineMs: number,
): void {
  const params = z.object({ network: networkParam(served) });
  app.get(holderSeries.path, { schema: { params, querystring } }, async (request, reply) => {
    const series = await withinDeadline(reply, deadlineMs, (signal) =>
      readSeries(request.params.network, request.query, signal).catch(reorganised),
    );
    setUnits(reply, series.units);
    return sendUncached(request, reply, JSON.stringify(series));
  });
}

async function readSeries(network: ServedList, query: Query, signal: AbortSignal): Promise<HolderSeries> {
  const { token_address: token, token_id: id, from, to, points = DEFAULT_POINTS } = query;
  const openAt = (when: URLSearchParams): Promise<OpenQuestion> =>
    openQuestion(network, { token, id, when }, signal);
  const last = await openAt(to === undefined ? new URLSearchParams() : toWhen(to)).catch(namingEnd('to'));
  const first = from === undefined ? last.index.from_block : await firstOf(network, from, last.block, signal);
  if (first > last.block.number)
    throw badRequest('from: it is after to; expected the earlier end', 'invalid_range');
  await refuseTooMany(network, last, points);
  const grid = { step: 'even', points: Math.max(points, 2) } as const;
  const earlier = pointsOnGrid(grid, first, last.block.number).slice(0, -1);
  const heights = points === 1 ? [] : earlier;
  const reading = await network.largest.read(network, last).catch(namingIds);
  const counted: HolderSeries['points'] = [];
  let { read } = reading;
  for (const height of heights) {
    signal.throwIfAborted();
    const question = await openAt(toWhen({ height })).catch(noToken);
    if (question && question.index.from_block !== last.index.from_block) throw changed();
    const found = question && (await network.largest.read(network, question).catch(noToken));
    const block = question?.block ?? (await network.balances.block(toWhen({ height }), signal));
    counted.push(toPoint(block, found?.totals));
    read += found?.read ?? 0;
  }
  // Points are read by their heights: after a reorganisation they are of another chain than the last one.
  if (!last.block.finalized)
    await network.balances.block(new URLSearchParams({ block_hash: last.block.hash }), signal);
  return {
    ...reading.facts,
    finalized: last.block.finalized,
    ...idOf(last),
    index: last.index,
    points: [...counted, toPoint(last.block, reading.totals)],
    read,
    units: largestUnits(read),
  };
}

/** Refuses a series before a balance is read: at earlier points events name no more addresses. @throws {ApiError} 422 */
async function refuseTooMany(network: ServedList, last: OpenQuestion, points: number): Promise<void> {
  const most = Math.floor(MAX_HOLDERS_READ / points);
  const named = await addressesOf(network, last, { after: undefined, limit: most + 1 });
  if (named.length <= most) return;
  const expected = points === 1 ? '' : '; expected fewer points';
  throw new ApiError(
    'too_many_holders',
    `points: events name more than ${most} addresses up to the last block, and no more than ${MAX_HOLDERS_READ} balances are ` +
      `read for all points${expected}`,
  );
}

/** Reports a reorganisation as 503: the question names no hash. @throws {unknown} that, or the error as it is */
function reorganised(error: unknown): never {
  if (!(error instanceof ApiError && error.code === 'block_not_canonical')) throw error;
  throw behind('the chain was reorganised while it was read');
}

/** Catches that there was no such token yet. @returns undefined @throws {unknown} any other error */
function noToken(error: unknown): undefined {
  const codes = ['no_contract', 'not_a_token', 'no_owner'];
  if (!(error instanceof ApiError && codes.includes(error.code))) throw error;
}

function toPoint(
  { number, hash, timestamp }: OpenQuestion['block'],
  found: { readonly holders: number; readonly errors: number } | undefined,
): HolderSeries['points'][number] {
  const date = new Date(timestamp * 1_000).toISOString();
  const { holders = null, errors = 0 } = found ?? {};
  return { block: number, block_hash: hash, date, holders, errors };
}
