import { OPERATIONS } from '@hindsight/api/operations.ts';
import { MAX_HOLDERS, unitsOf } from '@hindsight/api/units.ts';
import { toChecksum } from '@hindsight/chain/address.ts';
import { NETWORKS } from '@hindsight/chain/networks.ts';
import { addressParam, networkParam, refuseSeveralBlocks, whenParams } from '@hindsight/chain/params.ts';
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import { preferredType } from '@hindsight/http/content-coding.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { setUnits } from '@hindsight/http/units.ts';
import { withDeadline } from '@hindsight/kernel/deadline.ts';
import { ApiError, gatewayTimeout, unavailable } from '@hindsight/kernel/errors.ts';
import { fromStore } from '@hindsight/stores/from-store.ts';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { CSV, NDJSON, type IndexedBlocks } from '../domain/holder-list.ts';
import { mergeUpTo } from '../domain/merge.ts';
import type { Track } from '../domain/tracks.ts';
import type { HolderIndex, PinnedBlock, RecentHolders } from '../ports.ts';
import type { BalanceQuestions } from './balance-answers.ts';
import type { IndexedChain } from './indexed-chain.ts';
import { writeHolders } from './holder-stream.ts';
import { holderRecord } from './records.ts';

/** A process's readers of one network. */
export interface ServedHolders {
  readonly index: HolderIndex;
  readonly recent: RecentHolders;
  readonly balances: BalanceQuestions;
  readonly chain: IndexedChain;
  /** The track that has a lower-cased token; undefined where it is not indexed. */
  trackOf(token: string): Track | undefined;
  /** Resolves once the index follows the chain, or after a few seconds. */
  ready(): Promise<void>;
}

/** Of newer blocks than the index has: more are waited for. */
const MOST_BLOCKS_AHEAD = 2_000;
const RETRY_AFTER_SECONDS = 5;
const INDEX_UNAVAILABLE = 'The index of holders cannot be read at the moment.';

const LIMIT_EXPECTED = `expected a number of addresses: a whole number from 1 to ${MAX_HOLDERS}`;

const querystring = z.strictObject({
  token_address: addressParam.meta({ description: 'The token contract' }),
  ...whenParams,
  after: addressParam
    .optional()
    .meta({ description: 'Only holders behind this address: `next` of the answer before' }),
  limit: z
    .string()
    .transform((value, context) => {
      const number = /^\d{1,6}$/.test(value) ? Number(value) : NaN;
      if (number >= 1 && number <= MAX_HOLDERS) return number;
      const fault = value === '' ? 'it is empty; ' : '';
      context.addIssue({ code: 'custom', message: `${fault}${LIMIT_EXPECTED}` });
      return z.NEVER;
    })
    .default(MAX_HOLDERS)
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: MAX_HOLDERS,
      default: MAX_HOLDERS,
      description: 'The most addresses whose balance is read; some of them may hold nothing',
    }),
});

/** The route as it is documented. */
export const tokenHolders = {
  ...OPERATIONS.listTokenHolders,
  tag: 'Tokens',
  summary: 'List the holders of a token',
  description: `Streams every holder of an ERC-20 or ERC-721 token at any block or date, in the order of addresses, each with its balance.

The index says who was touched by an event of the token up to that block; how much they held is read from the state of that block, so no amount is a sum of events. Blocks that the index does not have yet are searched at the node. Only tokens that the operator has indexed can be asked for; any other is a 409.

The answer has a record in each line: \`facts\` (the token, the block, and what is indexed), then \`holder\` for each address with a balance above zero, or \`error\`, then \`end\`. **An answer without its \`end\` is not complete.** \`end\` has the \`sum\` of the balances beside the \`total_supply\` that the contract reports. Over a whole list they are equal unless the contract counts otherwise, or changes balances without an event. A list of more than ${MAX_HOLDERS.toLocaleString('en')} addresses goes on: ask again with \`after\` set to \`next\`, and with the \`block_hash\` of \`facts\`, until \`next\` is null. With \`Accept: text/csv\` the rows are \`holder,balance,error\`; \`facts\` and \`end\` are comments, \`# \` and the JSON.

A request costs one unit for each 100 addresses that are started.`,
  params: z.object({ network: networkParam(NETWORKS) }),
  querystring,
  success: {
    status: 200,
    name: 'TokenHolderRecord',
    schema: holderRecord,
    cacheable: false,
    description: 'A record in each line, as it is read',
    lines: ['application/x-ndjson', 'text/csv'],
  },
  codes: [
    'invalid_parameter',
    'missing_parameter',
    'unknown_parameter',
    'repeated_parameter',
    'conflicting_parameters',
    'unknown_network',
    'wrong_token_standard',
    'block_above_head',
    'block_not_canonical',
    'no_block_at_date',
    'no_contract',
    'not_a_token',
    'not_indexed',
    'state_unavailable',
    'block_unavailable',
    'node_failed',
    'node_unavailable',
    'store_unavailable',
    'service_unavailable',
    'index_behind',
    'node_timeout',
    'deadline_exceeded',
    'streams_exceeded',
  ],
  errors: {
    400: 'A parameter is malformed, unknown or given twice; the message names it and says what is expected. Also for an ERC-1155 contract',
    404: 'No such network, no token at the block, or a block above the head',
    409: 'The token is not indexed, or not from so early on; the message says how it can be',
    502: 'No node has the state of the block. It is never replaced by another block’s.',
    503: 'No node can answer, or the index does not have the block yet; `Retry-After` says when to try again',
    504: 'The answer took too long',
  },
} as const satisfies ApiOperation;

type Query = z.output<typeof querystring>;

/** Adds the route. @param served by the network's name */
export function addTokenHolders(
  app: HttpServer,
  served: ReadonlyMap<string, ServedHolders>,
  deadlineMs: number,
): void {
  const params = z.object({ network: networkParam(served) });
  app.get(tokenHolders.path, { schema: { params, querystring } }, async (request, reply) => {
    const client = new AbortController();
    reply.raw.once('close', () => client.abort(new Error('the client has left')));
    const late = (): Error => {
      const error = gatewayTimeout('deadline_exceeded', `The answer did not begin within ${deadlineMs} ms.`);
      client.abort(error);
      return error;
    };
    const asking = ask(request.params.network, request.query, client.signal);
    const { snapshot, index, end } = await withDeadline(asking, deadlineMs, late);
    const accepted = preferredType(request.headers.accept, ['application/x-ndjson', 'text/csv']);
    const format = accepted === 'text/csv' ? CSV : NDJSON;
    setUnits(reply, end.units);
    reply.headers({ 'content-type': format.type, 'cache-control': 'no-store', vary: 'accept' });
    // One piece ahead at the most: a reader that does not read stops the work.
    const pieces = Readable.from(writeHolders({ snapshot, format, index, end }), { highWaterMark: 1 });
    return reply.send(pieces);
  });
}

type Answer = Omit<Parameters<typeof writeHolders>[0], 'format'>;

async function ask(network: ServedHolders, query: Query, signal: AbortSignal): Promise<Answer> {
  const { token_address: token, limit, after } = query;
  const when = whenOf(query);
  const track = network.trackOf(token.toLowerCase());
  if (track === undefined) throw notIndexed(token);
  const block = await network.balances.block(when, signal);
  const { from, to } = await readPosition(network, track, { token, block }, signal);
  const question = {
    track,
    token: token.toLowerCase(),
    upTo: Math.min(to, block.number),
    after: after?.toLowerCase(),
    // One more tells whether the list goes on.
    limit: limit + 1,
  };
  const newer = block.number > to ? await network.recent.find(token, to + 1, block, signal) : [];
  const behind = newer.filter((holder) => question.after === undefined || holder > question.after);
  const found = await fromStore(
    mergeUpTo(question.limit, network.index.holders(question), behind),
    INDEX_UNAVAILABLE,
  );
  const asked = found.slice(0, limit);
  const [snapshot, supply, isComplete] = await Promise.all([
    network.balances.snapshot(token, block.hash, asked, signal),
    network.balances.supply(token, block.hash, signal),
    network.balances.hadNone(token, from, signal),
  ]);
  const index: IndexedBlocks = { from_block: from, to_block: to, complete: isComplete };
  const last = found.length > limit ? asked.at(-1)! : null;
  const end = {
    read: asked.length,
    total_supply: supply,
    next: last === null ? null : toChecksum(last),
    units: unitsOf(asked.length),
  };
  return { snapshot, index, end };
}

/** The first and the last block of a track, where the question's is among them or not far behind. */
async function readPosition(
  network: ServedHolders,
  track: Track,
  { token, block }: { readonly token: string; readonly block: PinnedBlock },
  signal: AbortSignal,
): Promise<{ readonly from: number; readonly to: number }> {
  await network.ready();
  const position = await fromStore(network.index.position(track), INDEX_UNAVAILABLE);
  if (position === null) throw behind('the index has no block yet');
  if (!(await network.chain.has(position, signal)))
    throw behind(`the chain does not have block ${position.number} of the index`);
  const { from, number: to } = position;
  if (block.number < from)
    throw new ApiError(
      'not_indexed',
      `token_address: the token ${token} is indexed from block ${from} on, not at block ${block.number}; ` +
        'the operator of this server can have it indexed from an earlier block (INDEX_FROM)',
    );
  if (block.number > to + MOST_BLOCKS_AHEAD) throw behind(`the index ends at block ${to}`);
  return { from, to };
}

function behind(how: string): ApiError {
  const message = `The index of holders does not have this block yet: ${how}.`;
  return unavailable('index_behind', message, RETRY_AFTER_SECONDS);
}

function notIndexed(token: string): ApiError {
  return new ApiError(
    'not_indexed',
    `token_address: the holders of ${token} are not indexed; the operator of this server can have them indexed (INDEX_TOKENS)`,
  );
}

/** The parameters that name the block, as the balance service takes them. @throws {ApiError} 400 for more than one */
function whenOf(query: Query): URLSearchParams {
  refuseSeveralBlocks(query);
  const { block_height: height, date, block_hash: hash } = query;
  const given = Object.entries({
    block_height: height?.toString(),
    date: date === undefined ? undefined : new Date(date * 1_000).toISOString(),
    block_hash: hash,
  }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]));
  return new URLSearchParams(given);
}
