/** The walks that keep an index: one for each track. */
import { createFinalizedLogs } from '@hindsight/indexing/finalized-logs.ts';
import type { LeasedIndex } from '@hindsight/indexing/lease.ts';
import { firstToWalk, Walk, WALK_DEFAULTS, type WalkSettings } from '@hindsight/indexing/walk.ts';
import { WalkReporter } from '@hindsight/indexing/walk-reporter.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { partOf, partsPrefix, trackOfPart } from './domain/track-parts.ts';
import type { Track } from './domain/tracks.ts';
import { touchedBy } from './jobs/touched.ts';
import { TouchedRanges } from './jobs/touched-ranges.ts';
import type { HolderIndex } from './ports.ts';

export interface WalksDeps extends Platform {
  readonly index: HolderIndex;
  /** Those of the settings. */
  readonly tracks: readonly Track[];
  readonly network: Network;
  /** Preferably a separate one: indexing makes large requests. */
  readonly node: EthereumNode;
  readonly telemetry: Telemetry;
  readonly settings?: Partial<WalkSettings>;
  /** Milliseconds that a first question waits for the walks it has started. */
  readonly firstMs?: number;
}

/** A walk, and what tells of its progress. */
interface RunningWalk {
  readonly walk: Walk<unknown, unknown, never>;
  readonly reporter: WalkReporter;
  readonly fromBlock: number;
}

/** A first question waits this long for a walk that it has started. */
const FIRST_MS = 5_000;
const LOOK_EVERY_MS = 20;

/** Starts when it is told to, and ends with the process. */
export class Walks {
  readonly #deps: WalksDeps;
  readonly #running = new Map<Track, RunningWalk>();
  #isStarted = false;
  #firstRound: Promise<void> | undefined;
  #added: readonly Track[] = [];

  constructor(deps: WalksDeps) {
    this.#deps = deps;
    const endAll = () => Promise.all([...this.#running.keys()].map((track) => this.end(track)));
    // The next start goes on where the index ends.
    deps.lifecycle.onStop(`holder indexer of ${deps.network.name}`, endAll, Infinity);
  }

  /** Names of the tracks that are walked, and of their parts. */
  get running(): readonly Track[] {
    return [...this.#running.keys()];
  }

  /** All tracks, also those that are not walked yet. */
  get tracks(): readonly Track[] {
    return [...new Set([...this.#deps.tracks, ...this.#added])];
  }

  reporterOf(track: Track): WalkReporter | undefined {
    return this.#running.get(track)?.reporter;
  }

  /** True if a track is walked, and from this block on, or from the network's first, or an earlier one. */
  beginsBy(track: Track, fromBlock: number): boolean {
    const wanted = firstToWalk(this.#deps.network, { fromBlock });
    return (this.#running.get(track)?.fromBlock ?? Infinity) <= wanted;
  }

  /** The track that lacks the most blocks, as far as this instance knows. */
  furthestBehind(): Track | undefined {
    const behind = [...this.#running].map(([track, { reporter }]) => {
      const { finalized } = reporter.status;
      return { track, blocks: finalized === null ? Infinity : finalized - (reporter.position?.number ?? 0) };
    });
    return behind.sort((a, b) => b.blocks - a.blocks)[0]?.track;
  }

  /** Starts the walks, once. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    for (const track of this.#deps.tracks) this.begin(track);
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
    const isBehind = (): boolean => [...this.#running.values()].some(({ reporter }) => !reporter.hasCaughtUp);
    while (isBehind() && performance.now() < until) await sleep(LOOK_EVERY_MS);
  }

  /** Begins to walk a track, if it is not walked. @param fromBlock that of the settings if not given */
  begin(track: Track, fromBlock?: number): void {
    if (this.#running.has(track)) return;
    if (!this.#deps.tracks.includes(track)) this.#added = [...this.#added, track];
    this.#walk(track, fromBlock);
  }

  /** @param toBlock the last block of a part of a track; without it the walk follows the chain */
  #walk(name: Track, fromBlock: number | undefined, toBlock?: number): void {
    const track = trackOfPart(name);
    const { index, network, node, clock, ids, telemetry } = this.#deps;
    const given = { ...WALK_DEFAULTS, ...this.#deps.settings };
    const settings = {
      ...given,
      fromBlock: firstToWalk(network, { fromBlock: fromBlock ?? given.fromBlock }),
      ...(toBlock === undefined ? {} : { toBlock }),
    };
    const logger = this.#deps.logger.child({ network: network.name, track: name });
    const logs = createFinalizedLogs(node, touchedBy(track), settings.logsTimeoutMs);
    const reporter = new WalkReporter({
      kind: 'holder',
      prefix: 'hindsight_holders',
      meter: telemetry.meter('holders'),
      network: network.name,
      part: name,
      logger,
      clock,
    });
    const ranges = new TouchedRanges({
      index,
      track: name,
      reporter,
      logs,
      fromBlock: settings.fromBlock,
      ...(toBlock === undefined
        ? { beginsLater: (begun) => this.#walkEarlier(track, settings.fromBlock, begun) }
        : { end: { block: toBlock, isIn: () => void this.end(name) } }),
    });
    const leased: LeasedIndex = {
      claim: (lease, now) => index.claim(name, lease, now),
      release: (holder) => index.release(name, holder),
    };
    const walked = { index: ranges, leased, holder: ids.next() };
    const walk = new Walk({ ...walked, logs, clock, logger, reporter, settings });
    const { fromBlock: first } = settings;
    this.#running.set(name, { walk: walk as unknown as RunningWalk['walk'], reporter, fromBlock: first });
    walk.start();
  }

  /** The first block was lowered: the blocks before the track are walked beside it. */
  #walkEarlier(track: Track, from: number, begun: number): void {
    const part = partOf(track, from);
    if (!this.#running.has(track) || this.#running.has(part)) return;
    this.#deps.logger.info(
      { track, from, to: begun - 1 },
      'earlier blocks are added to the index of holders',
    );
    this.#walk(part, from, begun - 1);
  }

  /** Ends the walk of a track with those of its parts, if there is one, after the write under way. */
  async end(track: Track): Promise<void> {
    const parts = [...this.#running.keys()].filter((name) => name.startsWith(partsPrefix(track)));
    await Promise.all(parts.map((part) => this.end(part)));
    const running = this.#running.get(track);
    if (running === undefined) return;
    this.#running.delete(track);
    this.#added = this.#added.filter((one) => one !== track);
    await running.walk.stop();
    running.reporter.close();
  }
}
