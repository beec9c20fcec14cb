/** Reads a page of transfers: the index names the blocks, the nodes' logs of these blocks are the answer. */
import { toChecksum } from '@hindsight/chain/address.ts';
import { BLOCK_BYTES } from '@hindsight/chain/logs/full-blocks.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { badGateway } from '@hindsight/kernel/errors.ts';
import type { BlockOfEvents, TokenEvent, TouchedBlock, TransferEvents } from '../ports.ts';
import { movementsIn, type Movement, type Standard } from '../domain/transfer.ts';
import type { TransferCursor } from '../domain/transfer-cursor.ts';
import type { TransferRow } from './records.ts';
import type { TokenStandards } from './token-standards.ts';

interface PageDeps {
  readonly events: TransferEvents;
  readonly standards: Pick<TokenStandards, 'of'>;
}

interface PageQuestion {
  /** In the order of the answer. */
  readonly blocks: readonly TouchedBlock[];
  readonly newest: boolean;
  /** Lower-cased; any account's if not given. */
  readonly holder: string | undefined;
  readonly limit: number;
  /** The last row of the page before. */
  readonly after: Place | undefined;
  /** The hash of the last block of the question. */
  readonly hash: string;
  /** By `performance.now()`: the page ends early then. */
  readonly deadline: number;
}

type Place = Pick<TransferCursor, 'block' | 'logIndex' | 'part'>;
type Row = TransferRow & Pick<Place, 'part'>;

interface PageRows {
  readonly rows: TransferRow[];
  /** The place after which the next page begins; null where all blocks were read. */
  readonly last: Place | null;
}

/** Events that one answer should have, of about this much data, and the blocks that it may have at the most. */
const EVENTS = 2_000;
const EVENT_BYTES = 256;
const MOST_BLOCKS = 25;
const FIRST_BLOCKS = 8;
/** Events whose tokens are asked about together, for a page of fewer rows too; each may be of another token. */
const TOKENS_AT_ONCE = 100;
/** More than any block or event has. */
const AFTER_ALL = 4_294_967_295;

/** Reads rows until there are enough, the blocks are at their end, or the time is up. @throws {NodeError | ApiError} */
export async function readRows(
  deps: PageDeps,
  question: PageQuestion,
  signal: AbortSignal,
): Promise<PageRows> {
  const { blocks, limit, deadline, newest } = question;
  const rows: Row[] = [];
  let size = FIRST_BLOCKS;
  for (let at = 0; at < blocks.length;) {
    const part = blocks.slice(at, at + size);
    const read = await readOf(deps, { ...question, blocks: part }, signal);
    if (read === undefined) {
      size = 1;
      continue;
    }
    for (const some of inParts(eventsIn(read, question), Math.max(limit, TOKENS_AT_ONCE))) {
      const tokens = some.map(({ event }) => event.token);
      const known = await deps.standards.of(tokens, question.hash, signal);
      for (const row of rowsIn(some, known, question)) {
        if (rows.length === limit) return { rows: rows.map(withoutPart), last: placeOf(rows.at(-1)!) };
        rows.push(row);
      }
      if (performance.now() > deadline)
        return { rows: rows.map(withoutPart), last: afterEvent(some.at(-1)!, newest) };
    }
    at += part.length;
    if (performance.now() > deadline && at < blocks.length)
      return { rows: rows.map(withoutPart), last: afterBlock(part.at(-1)!.number, newest) };
    const perBlock =
      Math.max(
        read.reduce((sum, { events }) => sum + weightOf(events), 0),
        1,
      ) / part.length;
    size = Math.max(1, Math.min(MOST_BLOCKS, Math.floor(EVENTS / perBlock)));
  }
  return { rows: rows.map(withoutPart), last: null };
}

/** Places after all rows of a block, in either order. */
const FIRST = { logIndex: 0, part: 0 };
const LAST = { logIndex: AFTER_ALL, part: 0 };

export function afterBlock(block: number, newest: boolean): Place {
  return { block, ...(newest ? FIRST : LAST) };
}

function afterEvent({ block, event }: PlacedEvent, newest: boolean): Place {
  return { block: block.number, logIndex: event.logIndex, part: newest ? 0 : AFTER_ALL };
}

/** True if a place is after all rows of its block. */
export function isAfterBlock({ logIndex, part }: Place, newest: boolean): boolean {
  return newest ? logIndex === 0 && part === 0 : logIndex === AFTER_ALL;
}

function placeOf({ block, log_index: logIndex, part }: Row): Place {
  return { block, logIndex, part };
}

function withoutPart({ part: _part, ...row }: Row): TransferRow {
  return row;
}

/**
 * Undefined where several blocks together are too much for one answer.
 * @throws {ApiError} 502 where one alone is: asking again does not help
 * @throws {NodeError}
 */
async function readOf(
  { events }: PageDeps,
  { blocks, holder }: Pick<PageQuestion, 'blocks' | 'holder'>,
  signal: AbortSignal,
): Promise<readonly BlockOfEvents[] | undefined> {
  try {
    return await events.read(blocks, holder, signal);
  } catch (error) {
    if (!(error instanceof NodeError && error.details.tooLarge)) throw error;
    if (blocks.length > 1) return undefined;
    const message = `The events of block ${blocks[0]?.number} are more than is read of one block, ${BLOCK_BYTES / 2 ** 20} MiB; ask for the blocks before and after it by \`from\` and \`to\`.`;
    throw badGateway('node_failed', message, error);
  }
}

function weightOf(events: BlockOfEvents['events']): number {
  return events.reduce((sum, { data }) => sum + 1 + data.length / EVENT_BYTES, 0);
}

interface PlacedEvent {
  readonly block: BlockOfEvents;
  readonly event: TokenEvent;
}

/** The events that the page before has not come to the end of. */
function* eventsIn(
  blocks: readonly BlockOfEvents[],
  { newest, after }: PageQuestion,
): Generator<PlacedEvent> {
  for (const block of blocks) {
    const begun = after?.block === block.number ? after : undefined;
    for (const event of inOrder(block.events, newest)) {
      const { logIndex } = event;
      if (begun && logIndex !== begun.logIndex && !isAfter({ logIndex, part: 0 }, begun, newest)) continue;
      yield { block, event };
    }
  }
}

/** Parts whose tokens are asked about together. */
function* inParts(events: Iterable<PlacedEvent>, size: number): Generator<readonly PlacedEvent[]> {
  let part: PlacedEvent[] = [];
  for (const event of events) {
    part.push(event);
    if (part.length < size) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** The rows of events, made as they are taken: one may have tens of thousands. */
function* rowsIn(
  events: readonly PlacedEvent[],
  standards: ReadonlyMap<string, Standard>,
  { holder, newest, after }: PageQuestion,
): Generator<Row> {
  for (const { block, event } of events) {
    const { logIndex, token } = event;
    const begun = after?.block === block.number ? after : undefined;
    const movements = movementsIn(event, standards.get(token)).map((movement, part) => ({ movement, part }));
    for (const { movement, part } of inOrder(movements, newest)) {
      if (holder !== undefined && movement.from !== holder && movement.to !== holder) continue;
      if (begun && !isAfter({ logIndex, part }, begun, newest)) continue;
      yield { ...rowOf(block, event, movement), part };
    }
  }
}

function inOrder<T>(oldestFirst: readonly T[], newest: boolean): readonly T[] {
  return newest ? oldestFirst.toReversed() : oldestFirst;
}

function rowOf(
  { number, hash, timestamp }: BlockOfEvents,
  { token, transaction, logIndex }: TokenEvent,
  { event, from, to, amount, id, lastId = null }: Movement,
): TransferRow {
  return {
    block: number,
    block_hash: hash,
    date: new Date(timestamp * 1_000).toISOString(),
    transaction,
    log_index: logIndex,
    token_address: toChecksum(token),
    event,
    from: toChecksum(from),
    to: toChecksum(to),
    amount: amount?.toString() ?? null,
    token_id: id?.toString() ?? null,
    last_token_id: lastId?.toString() ?? null,
  };
}

function isAfter({ logIndex, part }: Omit<Place, 'block'>, after: Place, newest: boolean): boolean {
  const by = logIndex === after.logIndex ? part - after.part : logIndex - after.logIndex;
  return newest ? by < 0 : by > 0;
}
