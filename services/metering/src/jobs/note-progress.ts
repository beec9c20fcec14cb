/** Notes the progress of counting, so that readers of usage see its age. */
import type { EventBus } from '@hindsight/bus/port.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { Job } from '@hindsight/kernel/job.ts';
import type { CountingProgress } from '@hindsight/usage/counting/ports.ts';
import { COUNTING_GROUPS } from '../groups.ts';

const EVERY_MS = 1_000;
/** Ends that are not reached yet: a minute's. While counting stands still, later ones are not needed. */
const MOST_WAITING = 60;

interface Deps extends Pick<Platform, 'clock' | 'telemetry'> {
  readonly bus: Pick<EventBus, 'progress'>;
  readonly progress: Pick<CountingProgress, 'note'>;
  readonly everyMs?: number | undefined;
}

interface Ends {
  readonly at: number;
  /** The offset after the last event, by partition. */
  readonly ends: ReadonlyMap<number, bigint>;
}

/**
 * The topics of one installation, as seen by any of its processes; the owners of the partitions do not
 * matter.
 */
export class ProgressWatch {
  readonly #deps: Deps;
  readonly #waiting = Object.values(COUNTING_GROUPS).map((of) => ({ ...of, ends: [] as Ends[] }));
  readonly #countedTo = new Map<string, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Everything published before this moment is counted, Unix milliseconds; undefined before the first pass. */
  get countedTo(): number | undefined {
    const reached = [...this.#countedTo.values()];
    return reached.length < this.#waiting.length ? undefined : Math.min(...reached);
  }

  /** One pass. Rejects when the bus or the store does not answer: then nothing is known to be newer. */
  async look(): Promise<void> {
    const { bus, clock, progress } = this.#deps;
    for (const waiting of this.#waiting) {
      const { group, topic } = waiting;
      // Before the ends are read: later events are not in question.
      const at = clock.now();
      const partitions = await bus.progress(group, topic);
      // A topic that was made again begins at 0: it does not come to the ends of the former one.
      const ends = waiting.ends.filter((one) =>
        partitions.every(({ partition, end }) => end >= (one.ends.get(partition) ?? 0n)),
      );
      if (ends.length < MOST_WAITING)
        ends.push({ at, ends: new Map(partitions.map(({ partition, end }) => [partition, end])) });
      const reached = ends.findLastIndex((one) =>
        partitions.every(({ partition, next }) => next >= (one.ends.get(partition) ?? 0n)),
      );
      const last = ends[reached];
      if (last !== undefined) this.#countedTo.set(topic, last.at);
      waiting.ends = ends.slice(reached + 1);
    }
    if (this.countedTo !== undefined) await progress.note(this.countedTo);
  }
}

/** The job, not started yet; without a log: all processes that count send its queries, and its gauge shows failures. */
export function noteProgress(deps: Deps): Job {
  const { clock, telemetry, everyMs = EVERY_MS } = deps;
  const watch = new ProgressWatch(deps);
  const begun = clock.now();
  telemetry
    ?.meter('hindsight.metering')
    .createObservableGauge('hindsight.usage.counted.age', {
      unit: 's',
      description: 'Since everything that was published by then was counted',
    })
    .addCallback((gauge) => gauge.observe(Math.max(clock.now() - (watch.countedTo ?? begun), 0) / 1_000));
  return new Job({
    name: 'progress of counting',
    work: () => watch.look(),
    everyMs,
    retryAfterMs: () => everyMs,
  });
}
