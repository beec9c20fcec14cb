/** Reads a page of transfers: the index names the blocks, the nodes' logs of these blocks are the answer. */
import { toChecksum } from '@hindsight/chain/address.ts';
import type { BlockOfEvents, TouchedBlock, TransferEvents } from '../ports.ts';
import { movementsIn, type Standard } from '../domain/transfer.ts';
import type { TransferCursor } from '../domain/transfer-cursor.ts';
import type { TransferRow } from './records.ts';
import type { TokenStandards } from './token-standards.ts';

interface PageDeps {
  readonly events: TransferEvents;
  readonly standards: TokenStandards;
}

/** The blocks of a page, and what of them is meant. */
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

/** Events that one answer should have, and the blocks that it may have at the most. */
const EVENTS = 2_000;
const MOST_BLOCKS = 25;
const FIRST_BLOCKS = 8;
/** More than any block has. */
const BEHIND_ALL = 4_294_967_295;

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
    const read = await deps.events.read(part, signal);
    for (const row of await rowsOf(deps, read, question, signal)) rows.push(row);
    at += part.length;
    if (rows.length > limit)
      return { rows: rows.slice(0, limit).map(withoutPart), last: placeOf(rows[limit - 1]!) };
    const behind = behindBlock(part.at(-1)!.number, newest);
    if (performance.now() > deadline && at < blocks.length)
      return { rows: rows.map(withoutPart), last: behind };
    const found = read.reduce((sum, { events }) => sum + events.length, 0);
    size = Math.max(1, Math.min(MOST_BLOCKS, Math.floor((EVENTS * part.length) / Math.max(found, 1))));
  }
  return { rows: rows.map(withoutPart), last: null };
}

/** Places behind all rows of a block, in either order. */
const FIRST = { logIndex: 0, part: 0 };
const LAST = { logIndex: BEHIND_ALL, part: 0 };

export function behindBlock(block: number, newest: boolean): Place {
  return { block, ...(newest ? FIRST : LAST) };
}

/** True if a place is behind all rows of its block. */
export function isBehindBlock({ logIndex, part }: Place, newest: boolean): boolean {
  return newest ? logIndex === 0 && part === 0 : logIndex === BEHIND_ALL;
}

function placeOf({ block, log_index: logIndex, part }: Row): Place {
  return { block, logIndex, part };
}

function withoutPart({ part: _part, ...row }: Row): TransferRow {
  return row;
}

async function rowsOf(
  { standards }: PageDeps,
  blocks: readonly BlockOfEvents[],
  { holder, newest, after, hash }: PageQuestion,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const tokens = blocks.flatMap(({ events }) => events.map(({ token }) => token));
  const known = await standards.of(tokens, hash, signal);
  return blocks.flatMap((block) => {
    const inOrder = rowsIn(block, known).filter(
      (row) => holder === undefined || [row.from, row.to].some((account) => account.toLowerCase() === holder),
    );
    const rows = newest ? inOrder.reverse() : inOrder;
    return after?.block === block.number ? rows.filter((row) => isBehind(row, after, newest)) : rows;
  });
}

function rowsIn(
  { number, hash, timestamp, events }: BlockOfEvents,
  standards: ReadonlyMap<string, Standard>,
): Row[] {
  return events.flatMap(({ token, transaction, logIndex, ...log }) =>
    movementsIn(log, standards.get(token)).map(
      ({ event, from, to, amount, id, lastId = null }, part): Row => ({
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
        part,
      }),
    ),
  );
}

function isBehind({ log_index: logIndex, part }: Row, after: Place, newest: boolean): boolean {
  const by = logIndex === after.logIndex ? part - after.part : logIndex - after.logIndex;
  return newest ? by < 0 : by > 0;
}
