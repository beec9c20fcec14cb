/** Position of the index, its rate and the remaining time: for people and for meters. */

export type IndexState = 'starting' | 'indexing' | 'following' | 'waiting' | 'halted' | 'standing by';

export interface IndexStatus {
  readonly state: IndexState;
  /** Reason to wait, or fault; empty when all is well. */
  readonly detail: string;
  /** The last finalized block of the chain, as far as is known. */
  readonly finalized: number | null;
  readonly blocksPerSecond: number;
  readonly logsPerSecond: number;
  /** Unix milliseconds. */
  readonly at: number;
}

interface Sample {
  readonly at: number;
  readonly block: number;
  readonly logs: number;
}

/** Rates are means over this long. */
const WINDOW_MS = 30_000;

/** Measures the indexer's rate over the last half minute. */
export class RateMeter {
  #samples: Sample[] = [];
  #logs = 0;

  /** Records that all blocks up to `block` are done. `at`: milliseconds. */
  note(at: number, block: number, logs: number): void {
    this.#logs += logs;
    const last = this.#samples.at(-1);
    // A sample a tenth of a second is plenty.
    if (last !== undefined && this.#samples.length > 1 && at - last.at < 100) this.#samples.pop();
    this.#samples.push({ at, block, logs: this.#logs });
    while (this.#samples.length > 2 && at - (this.#samples[0]?.at ?? at) > WINDOW_MS) this.#samples.shift();
  }

  /** Blocks and logs a second. */
  get rate(): { readonly blocks: number; readonly logs: number } {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || last.at <= first.at) return { blocks: 0, logs: 0 };
    const seconds = (last.at - first.at) / 1000;
    return { blocks: (last.block - first.block) / seconds, logs: (last.logs - first.logs) / seconds };
  }

  /** Discards the measurements: the next work is of another kind. */
  reset(): void {
    this.#samples = [];
  }
}

/** A number of seconds for people: "3 h 20 min". */
function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  if (seconds < 3600) return `${Math.ceil(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
}

/** One line on the position of the index. `number`: its last block, null before the first. */
export function describeProgress(number: number | null, status: IndexStatus | null): string {
  if (status === null) return number === null ? 'nothing is indexed yet' : `indexed to block ${number}`;
  const { state, detail, finalized, blocksPerSecond } = status;
  const done = number === null ? 'no block yet' : `block ${number}`;
  const left = finalized === null ? null : finalized - (number ?? 0);
  const words = [`${state}: ${done}${finalized === null ? '' : ` of ${finalized}`}`];
  if (state === 'indexing' && left !== null && left > 0 && blocksPerSecond > 0) {
    words.push(`${Math.round(blocksPerSecond)} blocks/s, ${formatDuration(left / blocksPerSecond)} left`);
  }
  if (detail !== '') words.push(detail);
  return words.join('; ');
}
