/** Compares the index with the chain, a few times a minute, at random. */
import type { BlockRange } from '@hindsight/chain/logs/block-range.ts';
import { RangeTooLarge } from '@hindsight/chain/logs/block-range.ts';
import type { FinalizedLogs } from '@hindsight/indexing/finalized-logs.ts';
import type { Position } from '@hindsight/indexing/position.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { idToHex, type Point, type Touched } from '../domain/points.ts';
import { ALL_TOKENS, type Track } from '../domain/tracks.ts';
import type { HolderIndex } from '../ports.ts';

/** The sum of the balances of all holders of a token beside its supply, at a block. */
export interface CheckedSum {
  readonly token: string;
  readonly block: number;
  readonly sum: string;
  readonly supply: string;
}

export interface CheckOutcome {
  readonly track: Track;
  readonly range: BlockRange;
  /** Points that the chain has in these blocks. */
  readonly points: number;
  /** Points of the chain that the index lacks, and the other way round. */
  readonly missing: number;
  readonly surplus: number;
  /** Null where there is nothing to compare: no supply, or too many holders. */
  readonly sum: CheckedSum | null;
}

export interface SelfCheckDeps {
  readonly index: Pick<HolderIndex, 'position' | 'points'>;
  readonly logsOf: (track: Track) => Pick<FinalizedLogs<Touched>, 'read'>;
  /** Lists all holders of a token; null where that is too many, or no answer. */
  readonly sumOf: (token: string, block: number, signal: AbortSignal) => Promise<CheckedSum | null>;
  readonly logger: Logger;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/** Blocks that are read again: of one token, and of all. */
const BLOCKS = { one: 200, all: 4 };

/** Compares some blocks of a track; null where it has none yet. @throws where the node or the engine does not answer */
export async function checkTrack(
  deps: SelfCheckDeps,
  track: Track,
  signal: AbortSignal,
): Promise<CheckOutcome | null> {
  const { index, logsOf, sumOf, logger, random } = deps;
  const position = await index.position(track);
  if (position === null) return null;
  const { range, found } = await readSomewhere(logsOf(track), position, { track, random, signal });
  const token = track === ALL_TOKENS ? found[Math.floor(random() * found.length)]?.token : track;
  if (token === undefined) return { track, range, points: 0, missing: 0, surplus: 0, sum: null };
  const ofChain = keysOf(found.filter((point) => point.token === token));
  const ofIndex = keysOf(await index.points({ track, token, ...range }));
  const missing = [...ofChain].filter((key) => !ofIndex.has(key));
  const surplus = [...ofIndex].filter((key) => !ofChain.has(key));
  if (missing.length + surplus.length > 0) {
    const example = missing[0] ?? surplus[0];
    const fields = { track, token, ...range, missing: missing.length, surplus: surplus.length, example };
    logger.error(fields, 'the index of holders differs from the chain');
  }
  const sum = await sumOf(token, range.to, signal);
  return { track, range, points: ofChain.size, missing: missing.length, surplus: surplus.length, sum };
}

interface Reading {
  readonly range: BlockRange;
  readonly found: readonly Point[];
}

/** Reads some blocks at random; fewer where a node has too many events in them. */
async function readSomewhere(
  logs: Pick<FinalizedLogs<Touched>, 'read'>,
  { from, number }: Position,
  { track, random, signal }: { readonly track: Track; random: () => number; readonly signal: AbortSignal },
): Promise<Reading> {
  const first = from + Math.floor(random() * (number - from + 1));
  for (let size = track === ALL_TOKENS ? BLOCKS.all : BLOCKS.one; ; size = Math.ceil(size / 4)) {
    const range = { from: first, to: Math.min(number, first + size - 1) };
    try {
      return { range, found: (await logs.read(range, signal)).found.points };
    } catch (error) {
      if (!(error instanceof RangeTooLarge) || size === 1) throw error;
    }
  }
}

function keysOf(points: readonly Pick<Point, 'holder' | 'id' | 'block'>[]): ReadonlySet<string> {
  return new Set(points.map(({ holder, id, block }) => `${block} ${holder} ${idToHex(id)}`));
}
