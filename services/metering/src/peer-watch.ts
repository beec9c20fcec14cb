/**
 * Takes over from processes that have died. Kafka keeps the partitions of a killed or paused process for 15 s, and any
 * rebalance waits for it. Processes that count give signs of life in the ledger; one that gives none is expelled from its
 * groups by the others. That is safe whether it has died or not: a process that lives joins again, and what two of them
 * read is counted once.
 */
import { Job } from '@hindsight/kernel/job.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import type { CountingProcesses } from '@hindsight/usage/counting/ports.ts';

const LOOK_EVERY_MS = 300;
/** Looks without a sign of life after which a process is expelled: between 1.2 and 1.5 s. */
const PATIENCE = 4;
/** Kafka decides sooner than this. */
const MOST_PATIENCE = 64;
/** A minute: by then it was expelled from whatever it had still joined. */
const FORGOTTEN_AFTER = 200;

interface Deps {
  /** This process, by a name that no other one has had. */
  readonly name: string;
  readonly processes: CountingProcesses;
  /** Ends the memberships of these processes. @returns how many there were */
  readonly expel: (names: readonly string[]) => Promise<number>;
  readonly logger: Logger;
}

/** Another process as it was seen last. */
interface Peer {
  beats: number;
  /** Looks since its last sign of life. */
  silentFor: number;
  /** Looks that it is given: twice as many after each time that it was expelled and lived. */
  patience: number;
}

/** One process's watch over the others. No clock is compared: each counts its own looks. */
export class PeerWatch {
  readonly #deps: Deps;
  readonly #job: Job;
  readonly #peers = new Map<string, Peer>();
  #expelling: Promise<void> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#job = new Job({
      name: 'watch over other processes',
      work: () => this.look(),
      everyMs: LOOK_EVERY_MS,
      retryAfterMs: () => LOOK_EVERY_MS,
      logger: deps.logger,
    });
  }

  start(): void {
    this.#job.start();
  }

  /** To be called once this process has left its groups. */
  async stop(): Promise<void> {
    await this.#job.stop();
    await this.#expelling;
    // If the store does not answer, the others forget this process in a minute.
    await this.#deps.processes.forget(this.#deps.name).catch(() => undefined);
  }

  /** One look: a sign of life of this process, and what the others have given. @throws {StoreUnavailable} */
  async look(): Promise<void> {
    const { name, processes } = this.#deps;
    let beats: ReadonlyMap<string, number>;
    try {
      beats = await processes.beat(name);
    } catch (error) {
      // None of the others could give a sign either.
      for (const peer of this.#peers.values()) peer.silentFor = 0;
      throw error;
    }
    for (const known of this.#peers.keys()) if (!beats.has(known)) this.#peers.delete(known);
    for (const [other, given] of beats) if (other !== name) this.#note(other, given);
    const silent = [...this.#peers].filter(([, { silentFor, patience }]) => silentFor >= patience);
    // Again and again: one that was about to join may still be let in. Each as often as others lose patience.
    const due = silent.filter(([, { silentFor, patience }]) => (silentFor - patience) % PATIENCE === 0);
    // Not awaited: while Kafka is slow, this process must go on giving signs of life.
    if (due.length > 0) this.#expelling ??= this.#expel(due.map(([other]) => other));
    for (const [other, { silentFor }] of silent)
      if (silentFor >= FORGOTTEN_AFTER) await processes.forget(other);
  }

  #note(name: string, beats: number): void {
    const peer = this.#peers.get(name);
    if (peer === undefined) {
      this.#peers.set(name, { beats, silentFor: 0, patience: PATIENCE });
    } else if (peer.beats === beats) {
      peer.silentFor++;
    } else {
      if (peer.silentFor >= peer.patience) peer.patience = Math.min(peer.patience * 2, MOST_PATIENCE);
      peer.beats = beats;
      peer.silentFor = 0;
    }
  }

  async #expel(names: readonly string[]): Promise<void> {
    const { expel, logger } = this.#deps;
    try {
      const memberships = await expel(names);
      if (memberships > 0)
        logger.warn(
          { processes: names, memberships },
          'another process is silent; its partitions are taken over',
        );
    } catch (err) {
      logger.warn({ err }, 'a silent process could not be expelled; trying again');
    } finally {
      this.#expelling = undefined;
    }
  }
}
