/** Reads the scores of planned strategies: those of a network at one block, the other networks at the same moment. */
import type { ReadBlock, NetworkName, When } from '../domain/pinned.ts';
import type { Score } from '../domain/scores/score.ts';
import type { History } from '../ports.ts';
import type { Part, Planned } from './plan.ts';

/** Scores at a block of the first network. */
export interface ScoresQuestion {
  readonly main: History;
  readonly when: When;
  readonly strategies: readonly Planned[];
  /** EIP-55, each once. */
  readonly addresses: readonly string[];
  /** @throws {ApiError} 404 for a network that is not served */
  readonly historyOf: (chainId: number) => History;
}

/** The blocks that were read, the first network's first; and the scores of each strategy, in the order of the addresses. */
export interface ScoresReading {
  readonly blocks: readonly { readonly network: NetworkName; readonly block: ReadBlock }[];
  /** Undefined where none of its parts counts at its block. */
  readonly scores: readonly (readonly Score[] | undefined)[];
}

type PartScores = ReadonlyMap<Part, readonly Score[]>;

/** Reads them. @throws {ApiError} as `History.read`; 422 where a contract gives no number for an address */
export async function readScores(question: ScoresQuestion, signal: AbortSignal): Promise<ScoresReading> {
  const { main, when, strategies, addresses, historyOf } = question;
  const byChain = Map.groupBy(
    strategies.flatMap(({ parts }) => parts),
    ({ chainId }) => chainId,
  );
  const others = [...byChain].filter(([chainId]) => chainId !== main.network.chainId);
  const served = others.map(([chainId, parts]) => ({ history: historyOf(chainId), parts }));
  const readAt = async (
    history: History,
    at: When,
    parts: readonly Part[],
  ): Promise<{ network: NetworkName; block: ReadBlock; found: PartScores }> => {
    const { answer, block } = await history.read(
      { asked: {}, when: at },
      async (state) => {
        const { number } = await state.block();
        const counted = parts.filter((part) => part.counts(number));
        // They are MAX_STRATEGIES at the most.
        const tasks = counted.map((part) => () => part.read(state, addresses));
        const found = await state.together(tasks);
        return new Map(counted.map((part, i) => [part, found[i]!]));
      },
      signal,
    );
    return { network: history.network, block, found: answer };
  };
  const first = await readAt(main, when, byChain.get(main.network.chainId) ?? []);
  const moment = when === 'latest' ? when : { date: first.block.timestamp };
  const rest = await Promise.all(served.map(({ history, parts }) => readAt(history, moment, parts)));
  const readings = [first, ...rest];
  const found = new Map(readings.flatMap((reading) => [...reading.found]));
  return {
    blocks: readings.map(({ network, block }) => ({ network, block })),
    scores: strategies.map(({ parts, counts, combine }) => {
      if (!counts(first.block.number)) return undefined;
      const counted = parts.map((part) => found.get(part)).filter((scores) => scores !== undefined);
      if (counted.length === 0) return undefined;
      return addresses.map((_, i) => combine(counted.map((scores) => scores[i]!)));
    }),
  };
}
