/** The strategies of a request: which of them is read on which network, and how their scores are summed. */
import { badRequest } from '@hindsight/kernel/errors.ts';
import { z } from 'zod';
import { sumOf, type Score } from '../domain/scores/score.ts';
import { digits, read, readStrategy, unsupported, type ScoreReader } from './strategies.ts';

/** The most strategies of a request, those within `multichain` among them. */
export const MAX_STRATEGIES = 10;

/** A chain's id, as text or as a number. */
export const chainIdSchema = z.union([digits(16), z.int().min(0)], 'expected a chain id such as "1"');

const inner = z.object({
  name: z.string().max(100),
  network: chainIdSchema.optional(),
  params: z.record(z.string(), z.unknown()).default({}),
});

export type Given = z.output<typeof inner>;

export interface Part {
  readonly chainId: number;
  /** True if it has scores at that block. */
  readonly counts: (block: number) => boolean;
  readonly read: ScoreReader;
}

/** A strategy of the request. */
export interface Planned {
  readonly parts: readonly Part[];
  /** True if it has scores at that block of the first network. */
  readonly counts: (block: number) => boolean;
  /** The score of an address from those of the parts that count. */
  readonly combine: (scores: readonly Score[]) => Score;
}

/**
 * Plans the strategies.
 * @param chainId of those that name none
 * @param isLatest true if the block is named by no number: the limits of a strategy are then compared as Snapshot does
 * @throws {ApiError} 422 for one that is not supported; 400 for what it cannot have
 */
export function planStrategies(
  strategies: readonly Given[],
  chainId: number,
  isLatest: boolean,
): readonly Planned[] {
  const planned = strategies.map((given, i) => {
    const at = `params.strategies[${i}]`;
    const { start, end } = read(
      { params: given.params, at },
      { start: z.number().nullish(), end: z.number().nullish() },
    );
    const within = (block: number): boolean =>
      isLatest ? !end : !((start ?? 0) > block) && !(end && block > end);
    return plan(given, at, { chainId: given.network ?? chainId, isLatest, within });
  });
  const parts = planned.reduce((sum, one) => sum + one.parts.length, 0);
  if (parts > MAX_STRATEGIES)
    throw badRequest(`params.strategies: expected at most ${MAX_STRATEGIES} in all, not ${parts}`);
  return planned;
}

interface Place {
  readonly chainId: number;
  readonly isLatest: boolean;
  readonly within: (block: number) => boolean;
}

function plan({ name, params }: Given, at: string, place: Place): Planned {
  if (name === 'multichain') return planMany(params, at, place);
  const part = { chainId: place.chainId, counts: place.within, read: readStrategy({ name, params, at }) };
  return { parts: [part], counts: () => true, combine: ([score]) => score! };
}

/** Strategies of several networks, whose scores are added. */
function planMany(params: unknown, at: string, { chainId, isLatest, within }: Place): Planned {
  const { strategies, startBlocks } = read(
    { params, at },
    {
      strategies: z.array(inner).min(1).max(MAX_STRATEGIES),
      startBlocks: z.record(z.string().max(16), z.number()).nullish(),
    },
  );
  const parts = strategies.map(({ name, network = chainId, params: own }, i): Part => {
    const place = `${at}.params.strategies[${i}]`;
    if (name === 'multichain') throw unsupported(place, name, 'it cannot be within another');
    const from = isLatest ? 0 : (startBlocks?.[String(network)] ?? 0);
    const counts = (block: number): boolean => block >= from;
    return { chainId: network, counts, read: readStrategy({ name, params: own, at: place }) };
  });
  return { parts, counts: within, combine: sumOf };
}
