/** The walks that keep an index: one for each track. */
import { createFinalizedLogs } from '@hindsight/indexing/finalized-logs.ts';
import { Walk, WALK_DEFAULTS, type WalkSettings } from '@hindsight/indexing/walk.ts';
import { WalkReporter } from '@hindsight/indexing/walk-reporter.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { Ids } from '@hindsight/kernel/ids.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { ALL_TOKENS, type Track } from './domain/tracks.ts';
import { touchedBy } from './jobs/touched.ts';
import { TouchedRanges } from './jobs/touched-ranges.ts';
import type { HolderIndex } from './ports.ts';

export interface WalksDeps {
  readonly index: HolderIndex;
  readonly tracks: readonly Track[];
  readonly network: Network;
  /** Preferably a separate one: indexing makes large requests. */
  readonly node: EthereumNode;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly lifecycle: Lifecycle;
  readonly telemetry: Telemetry;
  readonly settings?: Partial<WalkSettings>;
  readonly firstMs?: number;
}

/** A first question waits this long for a walk that it has started. */
const FIRST_MS = 5_000;
const LOOK_EVERY_MS = 20;

/** Starts when it is told to, and ends with the process. */
export class Walks {
  readonly #deps: WalksDeps;
  readonly #reporters: WalkReporter[] = [];
  #isStarted = false;
  #firstRound: Promise<void> | undefined;

  constructor(deps: WalksDeps) {
    this.#deps = deps;
  }

  /** The track that has a lower-cased token; undefined where it is not indexed. */
  trackOf(token: string): Track | undefined {
    return this.#deps.tracks.find((track) => track === ALL_TOKENS || track === token);
  }

  /** Starts the walks, once. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    for (const track of this.#deps.tracks) this.#walk(track);
  }

  /** Starts the walks if none has been, and waits for their first round, a few seconds at the most. */
  async ready(): Promise<void> {
    if (this.#firstRound === undefined && this.#isStarted) return;
    this.#firstRound ??= this.#startAndWait();
    await this.#firstRound;
  }

  async #startAndWait(): Promise<void> {
    this.start();
    const until = performance.now() + (this.#deps.firstMs ?? FIRST_MS);
    while (this.#reporters.some(({ hasCaughtUp }) => !hasCaughtUp) && performance.now() < until)
      await sleep(LOOK_EVERY_MS);
  }

  #walk(track: Track): void {
    const { index, network, node, clock, ids, lifecycle, telemetry } = this.#deps;
    const settings = { ...WALK_DEFAULTS, ...this.#deps.settings };
    const logger = this.#deps.logger.child({ network: network.name, track });
    const logs = createFinalizedLogs(node, touchedBy(track), settings.logsTimeoutMs);
    const reporter = new WalkReporter({
      kind: 'holder',
      prefix: 'hindsight_holders',
      meter: telemetry.meter('holders'),
      network: network.name,
      logger,
      clock,
    });
    this.#reporters.push(reporter);
    const ranges = new TouchedRanges({ index, track, reporter, logs, fromBlock: settings.fromBlock });
    const walk = new Walk({ index: ranges, logs, clock, logger, reporter, holder: ids.next(), settings });
    walk.start();
    lifecycle.onStop(`holder indexer of ${track} on ${network.name}`, () => walk.stop());
  }
}
