import { OPERATIONS } from '@hindsight/api/operations.ts';
import { unitsOf } from '@hindsight/api/units.ts';
import { NETWORKS } from '@hindsight/chain/networks.ts';
import {
  accountParam,
  addressParam,
  boundParam,
  cursorParam,
  networkParam,
  pageLimitParam,
} from '@hindsight/chain/params.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import {
  BLOCK_CODES,
  NODE_CODES,
  PARAMETER_CODES,
  type ApiOperation,
} from '@hindsight/http/api-operation.ts';
import { sendUncached } from '@hindsight/http/cacheable.ts';
import { preferredType } from '@hindsight/http/content-coding.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { setUnits } from '@hindsight/http/units.ts';
import { withinDeadline } from '@hindsight/http/within-deadline.ts';
import { badRequest, unavailable } from '@hindsight/kernel/errors.ts';
import { z } from 'zod';
import { MAX_CURSOR, readCursor, writeCursor } from '../domain/transfer-cursor.ts';
import type { TransferEvents } from '../ports.ts';
import { transferPage, transferRow, type TransferPage } from './records.ts';
import { tokenHolders } from './token-holders.ts';
import type { TokenStandards } from './token-standards.ts';
import { afterBlock, readRows } from './transfer-pages.ts';
import type { ServedHolders } from './indexed-question.ts';
import { blocksOf, openRange, type AskedTransfers } from './transfer-question.ts';

/** A process's readers of one network. */
export interface ServedEvents extends ServedHolders {
  readonly chainId: number;
  readonly name: string;
  readonly events: TransferEvents;
  readonly standards: TokenStandards;
}

const DEFAULT_LIMIT = 100;
const { perUnit: ROWS_PER_UNIT, most: MAX_LIMIT } = OPERATIONS.listTransfers.units;
/** Part of the time of a request, after which a page ends with what it has. */
const READING_SHARE = 0.7;

const querystring = z.strictObject({
  token_address: addressParam.optional().meta({ description: 'The token contract' }),
  holder: accountParam.optional().meta({
    description: 'Sender or receiver: an address, or an ENS name, which is resolved at the last block',
  }),
  from: boundParam.optional().meta({
    description:
      'The first block: a height, or an ISO 8601 date (the first block at or after it). Where the index begins if not given',
  }),
  to: boundParam.optional().meta({
    description: 'The last block: a height, or an ISO 8601 date. Without it, the latest block',
  }),
  order: z.enum(['newest', 'oldest']).default('newest').meta({ description: 'Which come first' }),
  limit: pageLimitParam(MAX_LIMIT)
    .optional()
    .meta({ description: `The most transfers of a page; ${DEFAULT_LIMIT} if not given` }),
  cursor: cursorParam(readCursor, MAX_CURSOR).optional().meta({
    description:
      'The `next` of the answer before: goes on there, up to the same last block. Everything else but `limit` is as before',
  }),
});

export const transfers = {
  ...OPERATIONS.listTransfers,
  tag: 'Tokens',
  summary: 'List transfers',
  description: `Lists the transfers of a token, of an account, or of both together, the newest first or the oldest first: ERC-20, ERC-721 and ERC-1155, and wrapped ether’s deposits and withdrawals (only of a contract that is an ERC-20 at the last block: many wallets have an event of that name for the ether that they receive). A batch of an ERC-1155 has a row for each id; a range of NFTs that one event moves (ERC-2309) is one row. What a contract mints by an event of its own, as MKR does, is no transfer. Events are read by the standard of their contract, which is taken to stay: of an address at which a contract of another standard was made later, all are read by one of the two.

The index says in which blocks there are any; the rows are the events of these blocks as a node has them, each block with its header in the same request. A node that leaves out events which the index has seen is not believed. Blocks that the index does not have yet are searched at the node; there, without \`token_address\`, an account is found in events that index it, and in CryptoKitties’, which do not. Amounts are what events say, which may differ from what balances changed by; \`balance/changes\` has those.

\`index\` says which blocks are indexed, and \`complete\` whether transfers before them may be missing; \`tokens\` names the tokens that are indexed where not all are and only an account is asked about. A page may have fewer rows than \`limit\` where reading takes long: it is the last one only if \`next\` is null. With \`Accept: text/csv\` the rows are CSV between two comments, \`# \` and JSON: the facts, and the end with \`next\`.

Costs one unit for every ${ROWS_PER_UNIT} transfers begun, at least one.`,
  params: z.object({ network: networkParam(NETWORKS) }),
  querystring,
  success: {
    status: 200,
    name: 'Transfers',
    schema: transferPage,
    cacheable: false,
    description: 'A page of transfers',
    alternatives: ['text/csv'],
  },
  codes: [
    ...PARAMETER_CODES,
    'invalid_range',
    'invalid_name',
    'unknown_name',
    'name_off_chain',
    'no_names',
    ...BLOCK_CODES,
    'not_indexed',
    ...NODE_CODES,
    'name_gateway_failed',
    'store_unavailable',
    'service_unavailable',
    'index_behind',
    'name_gateway_timeout',
    'deadline_exceeded',
  ],
  errors: {
    ...tokenHolders.errors,
    400: 'A parameter is malformed, unknown or given twice, neither a token nor an account is named, or the ends are in the wrong order; the message names it and says what is expected',
    404: 'No such network, an end above the head, a name without an address, or a cursor whose last block was reorganised away',
    422: 'The name cannot be resolved here',
  },
} as const satisfies ApiOperation;

type Query = z.output<typeof querystring>;

/** Adds the route. @param served by the network's name */
export function addTransfers(
  app: HttpServer,
  served: ReadonlyMap<string, ServedEvents>,
  deadlineMs: number,
): void {
  const params = z.object({ network: networkParam(served) });
  app.get(transfers.path, { schema: { params, querystring } }, async (request, reply) => {
    const until = performance.now() + READING_SHARE * deadlineMs;
    const page = await withinDeadline(reply, deadlineMs, (signal) =>
      readPage(request.params.network, request.query, { signal, until }),
    );
    setUnits(reply, page.units);
    if (preferredType(request.headers.accept, ['application/json', 'text/csv']) !== 'text/csv')
      return sendUncached(request, reply, JSON.stringify(page));
    reply.headers({ 'content-type': 'text/csv; charset=utf-8; header=present', 'cache-control': 'no-store' });
    return reply.send(toCsv(page));
  });
}

interface Limits {
  readonly signal: AbortSignal;
  /** By `performance.now()`: a page ends early then. */
  readonly until: number;
}

async function readPage(
  network: ServedEvents,
  query: Query,
  { signal, until }: Limits,
): Promise<TransferPage> {
  const { token_address: token, holder, from, to, order, cursor, limit = DEFAULT_LIMIT } = query;
  if (token === undefined && holder === undefined)
    throw badRequest(
      'token_address: it is missing; expected a token, or a holder, or both',
      'missing_parameter',
    );
  const asked: AskedTransfers = { token, holder, from, to, order, cursor };
  try {
    const range = await openRange(network, asked, signal);
    const most = limit + 1;
    const blocks = await blocksOf(network, asked, range, { most: most + 1, signal });
    const newest = order === 'newest';
    const { rows, last } = await readRows(
      network,
      {
        blocks: blocks.slice(0, most),
        newest,
        holder: range.holder?.toLowerCase(),
        limit,
        after: cursor,
        hash: range.to.hash,
        deadline: until,
      },
      signal,
    );
    const more = blocks.length > most ? afterBlock(blocks[most - 1]!.number, newest) : null;
    const next = last ?? more;
    return {
      network_name: network.name,
      chain_id: network.chainId,
      token_address: token ?? null,
      holder: range.holder,
      ...(range.namesAt && { names_resolved_at: range.namesAt }),
      from_block: range.from,
      to_block: range.to.number,
      block_hash: range.to.hash,
      finalized: range.to.finalized,
      order,
      index: range.index,
      units: unitsOf(rows.length, ROWS_PER_UNIT),
      next: next && writeCursor({ ...next, to: range.to.hash, mark: range.mark }),
      transfers: rows,
    };
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const message = 'The nodes do not have all events of these blocks at the moment.';
    throw unavailable('index_behind', message, { cause: error });
  }
}

const COLUMNS = transferRow.keyof().options;

/** The page as CSV: a row for each transfer between two comments, `# ` and JSON: the facts, and the end with `next`. */
function toCsv({ units, next, transfers, ...facts }: TransferPage): string {
  const rows = transfers.map((row) => COLUMNS.map((column) => row[column] ?? '').join(','));
  const end = { record: 'end', transfers: transfers.length, next, units };
  return [
    `# ${JSON.stringify({ record: 'facts', ...facts })}`,
    COLUMNS.join(','),
    ...rows,
    `# ${JSON.stringify(end)}\n`,
  ].join('\n');
}
