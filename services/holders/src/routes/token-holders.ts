import { OPERATIONS } from '@hindsight/api/operations.ts';
import { largestUnits, MAX_HOLDERS, MAX_HOLDERS_READ, MAX_LARGEST, unitsOf } from '@hindsight/api/units.ts';
import { toChecksum } from '@hindsight/chain/address.ts';
import { NETWORKS } from '@hindsight/chain/networks.ts';
import { networkParam, pageLimitParam } from '@hindsight/chain/params.ts';
import {
  BLOCK_CODES,
  NODE_CODES,
  PARAMETER_CODES,
  type ApiOperation,
} from '@hindsight/http/api-operation.ts';
import { nextLink } from '@hindsight/http/next-link.ts';
import { sendUncached } from '@hindsight/http/cacheable.ts';
import { preferredType } from '@hindsight/http/content-coding.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { setUnits } from '@hindsight/http/units.ts';
import { withDeadline } from '@hindsight/kernel/deadline.ts';
import { ClientLeft, badRequest, gatewayTimeout } from '@hindsight/kernel/errors.ts';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { shareOf } from '../domain/largest.ts';
import { readAmounts } from './amounts.ts';
import { holderParams, idOf, namingIds, openList, supplyOf } from './holder-question.ts';
import { CSV, NDJSON, writeHolders } from './holder-stream.ts';
import { addressesOf, type ServedHolders } from './indexed-question.ts';
import type { LargestReader } from './largest-reader.ts';
import { holderRecord, largestRecord, type LargestHolders } from './records.ts';

const DEFAULT_LARGEST = 100;

const querystring = z.strictObject({
  ...holderParams,
  order: z.enum(['address', 'balance']).default('address').meta({
    description: '`address`: every holder, streamed. `balance`: the largest holders, as JSON',
  }),
  limit: pageLimitParam(MAX_HOLDERS)
    .optional()
    .meta({
      description:
        `The most addresses whose balance is read, some of which may hold nothing; ${MAX_HOLDERS.toLocaleString('en')} if not given. ` +
        `With \`order=balance\` the number of holders, ${MAX_LARGEST.toLocaleString('en')} at the most; ${DEFAULT_LARGEST} if not given`,
    }),
});

export const tokenHolders = {
  ...OPERATIONS.listTokenHolders,
  tag: 'Tokens',
  summary: 'List the holders of a token',
  description: `Streams every holder of an ERC-20 or ERC-721 token, or of one id of an ERC-1155 (\`token_id\`), at any block or date, in the order of addresses, each with its balance. With a \`token_id\` of an ERC-721 that is its owner.

The index says who was touched by an event of the token up to that block; how much they held is read from the state of that block, so no amount is a sum of events. Blocks that the index does not have yet are searched at the node. Only tokens that the operator has indexed can be asked for; any other is a 409.

The answer has a record in each line: \`facts\` (the token, the block, and what is indexed), then \`holder\` for each address with a balance above zero, or \`error\`, then \`end\`. **An answer without its \`end\` is not complete.** \`end\` has the \`sum\` of the balances beside the \`total_supply\` that the contract reports. Over a whole list they are equal unless the contract counts otherwise, or changes balances without an event. A list of more than ${MAX_HOLDERS.toLocaleString('en')} addresses goes on: ask again with \`after\` set to \`next\`, and with the \`block_hash\` of \`facts\`, until \`next\` is null; the \`Link\` header, which comes before the first record, names that request. With \`Accept: text/csv\` the rows are \`holder,balance,error\`; \`facts\` and \`end\` are comments, \`# \` and the JSON.

With \`order=balance\` the answer is one JSON object: the largest holders, the largest first, each with its share of the total supply in millionths. Every holder is read for that, so the answer is exact, and it is kept for the block: to ask again, name its \`block_hash\`. Where that takes longer than a request may, the answer is a 504 and the reading goes on for a minute; ask again.

A list costs one unit for each 100 addresses that are started; the largest holders cost 5, and one for each 1,000 addresses that are read and started. Tokens with more than ${MAX_HOLDERS_READ.toLocaleString('en')} of them have no answer in this order.`,
  params: z.object({ network: networkParam(NETWORKS) }),
  querystring,
  success: {
    status: 200,
    name: 'TokenHolderRecord',
    schema: holderRecord,
    cacheable: false,
    description: 'A record in each line, as it is read; the largest holders as one JSON object',
    lines: ['application/x-ndjson', 'text/csv'],
    json: { name: 'LargestTokenHolders', schema: largestRecord },
  },
  codes: [
    ...PARAMETER_CODES,
    'conflicting_parameters',
    'wrong_token_standard',
    ...BLOCK_CODES,
    'no_contract',
    'not_a_token',
    'no_owner',
    'not_indexed',
    'too_many_holders',
    ...NODE_CODES,
    'store_unavailable',
    'service_unavailable',
    'index_behind',
    'overloaded',
    'deadline_exceeded',
    'streams_exceeded',
  ],
  errors: {
    400: 'A parameter is malformed, unknown or given twice; the message names it and says what is expected. Also for an ERC-1155 contract without `token_id`, and a `token_id` of any other token than these two',
    404: 'No such network, no token at the block, no such id of an ERC-721, or a block above the head',
    409: 'The token is not indexed, or not from so early on; the message says how it can be',
    422: 'Too many addresses have to be read to know which are the largest',
    502: 'No node has the state of the block. It is never replaced by another block’s.',
    503: 'No node can answer, or the index does not have the block yet; `Retry-After` says when to try again',
    504: 'The answer took too long',
  },
} as const satisfies ApiOperation;

type Query = z.output<typeof querystring>;

/** A network's readers, and its largest holders. */
export interface ServedList extends ServedHolders {
  readonly largest: LargestReader;
}

/** Adds the route. @param served by the network's name */
export function addTokenHolders(
  app: HttpServer,
  served: ReadonlyMap<string, ServedList>,
  deadlineMs: number,
): void {
  const params = z.object({ network: networkParam(served) });
  app.get(tokenHolders.path, { schema: { params, querystring } }, async (request, reply) => {
    const { network } = request.params;
    const client = new AbortController();
    reply.raw.once('close', () => client.abort(new ClientLeft()));
    const within = <T>(answer: Promise<T>): Promise<T> =>
      withDeadline(answer, deadlineMs, () => {
        const error = gatewayTimeout(
          'deadline_exceeded',
          `The answer did not begin within ${deadlineMs} ms.`,
        );
        client.abort(error);
        return error;
      });
    if (request.query.order === 'balance') {
      const { record, units } = await within(readLargest(network, request.query, client.signal));
      setUnits(reply, units);
      return sendUncached(request, reply, JSON.stringify(record));
    }
    const { end, ...answer } = await within(readList(network, request.query, client.signal));
    const accepted = preferredType(request.headers.accept, ['application/x-ndjson', 'text/csv']);
    const format = accepted === 'text/csv' ? CSV : NDJSON;
    setUnits(reply, end.units);
    // Known before the balances: a client that wants all of a list need not wait for the end of a part.
    if (end.next !== null) {
      const block = { block_hash: answer.facts.block_hash, block_height: undefined, date: undefined };
      reply.header('link', nextLink(request.url, { ...block, after: end.next }));
    }
    reply.headers({ 'content-type': format.type, 'cache-control': 'no-store', vary: 'accept' });
    // One piece ahead at the most: a reader that does not read stops the work.
    const pieces = Readable.from(writeHolders({ ...answer, format, end }), { highWaterMark: 1 });
    return reply.send(pieces);
  });
}

type List = Omit<Parameters<typeof writeHolders>[0], 'format'>;

async function readList(network: ServedHolders, query: Query, signal: AbortSignal): Promise<List> {
  const { limit = MAX_HOLDERS, after } = query;
  const question = await openList(network, query, signal);
  // One more tells whether the list goes on.
  const found = await addressesOf(network, question, { after: after?.toLowerCase(), limit: limit + 1 });
  const asked = found.slice(0, limit);
  const [{ facts, lines }, supply] = await Promise.all([
    readAmounts(network.balances, question.asset, asked, signal),
    supplyOf(network, question, signal),
  ]).catch(namingIds);
  const last = found.length > limit ? asked.at(-1)! : null;
  return {
    facts: { record: 'facts', ...facts, ...idOf(question), index: question.index },
    lines,
    end: {
      read: asked.length,
      total_supply: supply,
      next: last === null ? null : toChecksum(last),
      units: unitsOf(asked.length),
    },
  };
}

async function readLargest(
  network: ServedList,
  query: Query,
  signal: AbortSignal,
): Promise<{ readonly record: LargestHolders; readonly units: number }> {
  const { limit = DEFAULT_LARGEST, after } = query;
  if (after !== undefined)
    throw badRequest(
      'after and order=balance exclude each other; expected one of them',
      'conflicting_parameters',
    );
  if (limit > MAX_LARGEST)
    throw badRequest(
      `limit: expected a number of holders with order=balance: a whole number from 1 to ${MAX_LARGEST}`,
    );
  const question = await openList(network, query, signal);
  const reading = await network.largest.read(network, question).catch(namingIds);
  const { facts, largest, read, supply } = reading;
  const { holders, errors, sum } = reading.totals;
  const units = largestUnits(read);
  const record = {
    ...facts,
    finalized: question.block.finalized,
    ...idOf(question),
    index: question.index,
    holder_count: holders,
    errors,
    read,
    sum,
    total_supply: supply,
    units,
    holders: largest.slice(0, limit).map(({ holder, balance }) => ({
      holder,
      balance: balance.toString(),
      share_ppm: shareOf(balance, supply),
    })),
  };
  return { record, units };
}
