import { OPERATIONS } from '@hindsight/api/operations.ts';
import { MAX_EXPORTED, ROWS_PER_UNIT, unitsOf } from '@hindsight/api/units.ts';
import { toChecksum } from '@hindsight/chain/address.ts';
import { NETWORKS } from '@hindsight/chain/networks.ts';
import { networkParam, pageLimitParam } from '@hindsight/chain/params.ts';
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { setUnits } from '@hindsight/http/units.ts';
import { withDeadline } from '@hindsight/kernel/deadline.ts';
import { ClientLeft, badRequest, gatewayTimeout, unavailable } from '@hindsight/kernel/errors.ts';
import { fromStore } from '@hindsight/stores/from-store.ts';
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { ExportRow } from '../ports.ts';
import { readAmounts } from './amounts.ts';
import { holderParams, idOf, namingIds, openList, supplyOf } from './holder-question.ts';
import { HolderTally } from './holder-stream.ts';
import { addressesOf, type ServedHolders } from './indexed-question.ts';
import { fileFacts, type FileFacts, type TokenFacts } from './records.ts';
import { tokenHolders } from './token-holders.ts';

const FACTS_HEADER = 'x-holders-facts';
const PARQUET = 'application/vnd.apache.parquet';
/** Files that a process makes at a time: each takes memory and disk space. */
const MOST_AT_ONCE = 2;
/** Addresses of one request to the balance service. */
const WINDOW = 10_000;
/** Part of the time of a request, after which a file ends with what it has. */
const READING_SHARE = 0.6;
const UNMADE = 'The file cannot be made at the moment.';

const querystring = z.strictObject({
  ...holderParams,
  limit: pageLimitParam(MAX_EXPORTED)
    .optional()
    .meta({
      description: `The most addresses whose balance is read, some of which may hold nothing; ${MAX_EXPORTED.toLocaleString('en')} if not given`,
    }),
});

/** A file has no order, for which there might be too many addresses. */
const { 422: _tooMany, ...errors } = tokenHolders.errors;

export const holdersExport = {
  ...OPERATIONS.exportTokenHolders,
  tag: 'Tokens',
  summary: 'Export the holders of a token',
  description: `The rows of \`token/holders\` as a Parquet file, in the same order: \`holder\`, \`balance\` (a decimal string, exact), \`balance_float\` (a 64-bit float, for charts), \`block\`, and \`error\` with an empty balance where it could not be read.

The facts, which the list has in its first and its last line, are JSON in the header \`X-Holders-Facts\`, without the token's name and symbol. A file ends early where reading takes long, and at ${MAX_EXPORTED.toLocaleString('en')} addresses: **it is the whole list only if \`next\` is null.** Otherwise ask again with it as \`after\`, and with the \`block_hash\`; tools for Parquet read many files as one. The request has no body.

Costs one unit for each ${ROWS_PER_UNIT} addresses that are started. A smaller \`limit\` reserves fewer units.`,
  params: z.object({ network: networkParam(NETWORKS) }),
  querystring,
  success: {
    status: 200,
    name: 'HolderFileFacts',
    schema: fileFacts,
    cacheable: false,
    description: 'A Parquet file',
    file: { type: PARQUET, facts: 'X-Holders-Facts', name: 'holders.parquet' },
  },
  codes: [...tokenHolders.codes.filter((code) => code !== 'too_many_holders'), 'invalid_body'],
  errors: {
    ...errors,
    400: `${tokenHolders.errors[400]}. Also for a request with a body`,
    503: 'No node can answer, the index does not have the block yet, or other files are being made; `Retry-After` says when to try again',
  },
} as const satisfies ApiOperation;

type Query = z.output<typeof querystring>;

/** Adds the route. @param served by the network's name */
export function addHoldersExport(
  app: HttpServer,
  served: ReadonlyMap<string, ServedHolders>,
  deadlineMs: number,
): void {
  const params = z.object({ network: networkParam(served) });
  let making = 0;
  app.post(holdersExport.path, { schema: { params, querystring } }, async (request, reply) => {
    if (request.body !== undefined && request.body !== null)
      throw badRequest('body: expected none; the parameters are in the query', 'invalid_body');
    if (making >= MOST_AT_ONCE)
      throw unavailable('overloaded', `${MOST_AT_ONCE} other files are being made.`, { seconds: 5 });
    making += 1;
    const client = new AbortController();
    const until = performance.now() + READING_SHARE * deadlineMs;
    let parts: AsyncGenerator<Uint8Array, void> | undefined;
    const opened = (file: AsyncGenerator<Uint8Array, void>): void => void (parts = file);
    // Every answer closes: a whole one, a refusal, and one whose client has left.
    reply.raw.once('close', () => {
      client.abort(new ClientLeft());
      void remove(parts).finally(() => (making -= 1));
    });
    const late = (): Error =>
      gatewayTimeout('deadline_exceeded', `The answer did not begin within ${deadlineMs} ms.`);
    const made = makeFile(request.params.network, request.query, { signal: client.signal, until, opened });
    const { first, rest, facts } = await withDeadline(made, deadlineMs, late);
    setUnits(reply, facts.units);
    reply.headers({
      'content-type': PARQUET,
      'content-disposition': `attachment; filename="holders-${facts.token_address}-${facts.checked_at_block}.parquet"`,
      'cache-control': 'no-store',
      [FACTS_HEADER]: JSON.stringify(facts),
    });
    const bytes = async function* (): AsyncGenerator<Uint8Array> {
      yield first;
      yield* rest;
    };
    return reply.send(Readable.from(bytes(), { highWaterMark: 1 }));
  });
}

interface Limits {
  readonly signal: AbortSignal;
  /** By `performance.now()`: no further window is read then. */
  readonly until: number;
  /** Called with what has to be removed. */
  readonly opened: (file: AsyncGenerator<Uint8Array, void>) => void;
}

/** Makes a file. @returns its first bytes, the others, and the facts about it @throws {ApiError} */
async function makeFile(
  network: ServedHolders,
  query: Query,
  { signal, until, opened }: Limits,
): Promise<{
  readonly first: Uint8Array;
  readonly rest: AsyncIterable<Uint8Array>;
  readonly facts: FileFacts;
}> {
  const { limit = MAX_EXPORTED, after } = query;
  const question = await openList(network, query, signal);
  const { asset, block, index } = question;
  const found = await addressesOf(network, question, { after: after?.toLowerCase(), limit: limit + 1 });
  const asked = found.slice(0, limit);
  // The client may have left, and nothing would be removed after that.
  signal.throwIfAborted();
  const tally = new HolderTally();
  let facts: TokenFacts | undefined;
  let read = 0;
  const rows = async function* (): AsyncGenerator<readonly ExportRow[]> {
    // The facts come with balances, so one window at least is read.
    for (let from = 0; from === 0 || (from < asked.length && performance.now() < until); from += WINDOW) {
      const window = asked.slice(from, from + WINDOW);
      const amounts = await readAmounts(network.balances, asset, window, signal);
      facts = amounts.facts;
      const part: ExportRow[] = [];
      for await (const lines of amounts.lines)
        for (const line of lines) {
          const record = tally.record(line, facts.token_type);
          if (record?.record === 'holder')
            part.push({ holder: record.holder, balance: record.balance, error: null });
          else if (record !== undefined)
            part.push({ holder: record.holder, balance: null, error: record.error.message });
        }
      read += window.length;
      yield part;
    }
  };
  const rest = network.index.toParquet({ block: block.number, parts: rows() });
  opened(rest);
  const [{ value: first }, supply] = await Promise.all([
    fromStore(rest.next(), UNMADE),
    supplyOf(network, question, signal),
  ]).catch(namingIds);
  if (first === undefined || facts === undefined) throw new TypeError('a file has bytes, and facts');
  const { token_name: _name, token_symbol: _symbol, ...plain } = facts;
  return {
    first,
    rest,
    facts: {
      ...plain,
      ...idOf(question),
      index,
      ...tally.totals,
      read,
      total_supply: supply,
      next: read === found.length ? null : toChecksum(asked[read - 1]!),
      units: unitsOf(read),
    },
  };
}

/** Removes what was written on the way to a file. */
async function remove(parts: AsyncGenerator<Uint8Array, void> | undefined): Promise<void> {
  await parts?.return().catch(() => undefined);
}
