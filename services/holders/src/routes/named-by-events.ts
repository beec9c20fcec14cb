/**
 * Answers to the balance service: what events name, so that it need not search for them. These routes are not public, and
 * the gateway does not know them. They start no walk: a server that was asked for balances alone loads no engine.
 */
import { addressParam, heightParam, networkParam, pageLimitParam } from '@hindsight/chain/params.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { Position } from '@hindsight/indexing/position.ts';
import { fromStore } from '@hindsight/stores/from-store.ts';
import { z } from 'zod';
import { ALL_TOKENS, type Track } from '../domain/tracks.ts';
import type { AccountQuestion } from '../ports.ts';
import {
  behind,
  INDEX_UNAVAILABLE,
  notIndexed,
  refuseChanged,
  trackOf,
  type ServedHolders,
} from './indexed-question.ts';
import { isWhole } from './transfer-question.ts';

/** A process's readers of one network. */
export interface ServedNames extends ServedHolders {
  /** True once the index is walked. */
  isWalked(): boolean;
}

/** Rows of one answer; where there are more, logs are searched. */
const MOST_ROWS = 20_000;
const MOST_BLOCKS = 2_000;
/** Milliseconds in which nodes say which block is the chain's first. */
const WHOLE_WITHIN_MS = 2_000;

const account = z.strictObject({ account: addressParam, up_to: heightParam });
const blocks = z.strictObject({
  token: addressParam,
  holder: addressParam,
  from: heightParam,
  to: heightParam,
  limit: pageLimitParam(MOST_BLOCKS),
});

/** Adds the routes. @param served by the network's name */
export function addNamedByEvents(app: HttpServer, served: ReadonlyMap<string, ServedNames>): void {
  const params = z.object({ network: networkParam(served) });
  app.get('/internal/:network/holdings', { schema: { params, querystring: account } }, async (request) => {
    const { network } = request.params;
    const { position, question } = await openAll(network, request.query);
    const { index } = network;
    const [points, approvals] = await read(
      Promise.all([index.tokensOf(question), index.approvalsOf(question)]),
    );
    await refuseChanged(network, [ALL_TOKENS], position.from, position.number);
    // An owner may have approved a token whose events do not name its holders.
    const approved = approvals.filter(({ kind }) => kind === 'token').map((one) => ({ ...one, id: null }));
    const rows = [...points, ...approved].sort((one, other) => other.block - one.block);
    return answerOf(
      position,
      rows.map(({ token, id }) => ({ token, id: id?.toString() ?? null })),
    );
  });
  app.get('/internal/:network/approvals', { schema: { params, querystring: account } }, async (request) => {
    const { network } = request.params;
    const { position, question } = await openAll(network, request.query);
    const rows = await read(network.index.approvalsOf(question));
    await refuseChanged(network, [ALL_TOKENS], position.from, position.number);
    return answerOf(
      position,
      rows.map(({ token, spender, kind }) => ({ token, spender, kind })),
    );
  });
  app.get('/internal/:network/blocks', { schema: { params, querystring: blocks } }, async (request) => {
    const { network } = request.params;
    const { token, holder, from, to, limit } = request.query;
    const track = await trackOf(network, token);
    const position = await open(network, track);
    const found = await read(
      network.index.blocks({
        tokens: [token.toLowerCase()],
        holder: holder.toLowerCase(),
        from,
        to: Math.min(to, position.number),
        newest: false,
        limit,
      }),
    );
    await refuseChanged(network, [track], position.from, position.number);
    return answerOf(
      position,
      found.map(({ number }) => number),
    );
  });
}

/** The track of all tokens, where it has all blocks of the chain up to its position. @throws {ApiError} */
async function openAll(
  network: ServedNames,
  { account: asked, up_to: upTo }: z.output<typeof account>,
): Promise<{ readonly position: Position; readonly question: AccountQuestion }> {
  if (!network.tracks.includes(ALL_TOKENS)) throw notIndexed(undefined);
  const position = await open(network, ALL_TOKENS);
  const { from, number } = position;
  const isFromFirst =
    from === 0 || (await isWhole(network, from, AbortSignal.timeout(WHOLE_WITHIN_MS)).catch(() => false));
  if (!isFromFirst) throw notIndexed(undefined);
  const question = { account: asked.toLowerCase(), upTo: Math.min(upTo, number), limit: MOST_ROWS + 1 };
  return { position, question };
}

async function open(network: ServedNames, track: Track): Promise<Position> {
  if (!network.isWalked()) throw behind('no question has started it yet');
  const position = await read(network.index.position(track));
  if (position === null) throw behind('it has no block');
  return position;
}

function read<T>(reading: Promise<T>): Promise<T> {
  return fromStore(reading, INDEX_UNAVAILABLE);
}

/** The blocks that are indexed, and all rows of them; null where there are too many. */
function answerOf<Row>({ from, number, hash }: Position, rows: readonly Row[]) {
  return { from, end: { number, hash }, rows: rows.length > MOST_ROWS ? null : rows };
}
