/**
 * Simulated processes in virtual time: everything that any of them waits for is an event of one queue. Time stands still
 * while code runs, and jumps to the next event when all of it waits.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { DatabaseSync } from 'node:sqlite';
import { digestOf, EMPTY_DIGEST, mix } from './digest.ts';
import { EventQueue, type Queued } from './event-queue.ts';
import type { Random } from './random.ts';

// Real, because `run` itself waits for it.
const realImmediate = setImmediate;

/** Events that run in one turn of Node's loop. */
const EVENTS_PER_TURN = 64;
/** Milliseconds between two looks at a condition. */
const LOOK_EVERY_MS = 250;

/** One process, from its start to its end. */
export class Process {
  readonly name: string;
  alive = true;
  /** Milliseconds that its clock is ahead. */
  skewMs = 0;
  /** True if its disk refuses writes. */
  diskFull = false;
  /** The share of its commits that fail, some of them after they took place. */
  diskErrors = 0;
  readonly databases = new Set<DatabaseSync>();
  /** Called when it is killed; the argument tells whether the machine has lost its power. */
  readonly onKill = new Set<(powerCut: boolean) => void>();
  #pausedUntil = 0;
  /** Runs code as this process; made once, because each `AsyncLocalStorage.run` copies the whole context. */
  enter: (<T>(work: () => T) => T) | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /** It is paused until this moment. */
  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  /** Another pause makes none shorter: what came first would be done long after what came later. */
  pauseUntil(moment: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, moment);
  }
}

/** Code to run at its time, as the process that it belongs to. */
export interface Event extends Queued {
  at: number;
  readonly owner: Process;
  readonly run: () => void;
  cancelled: boolean;
}

/** The machine that all processes of a run share. */
export class Machine {
  readonly random: Random;
  /** Milliseconds since the beginning. */
  now = 0;
  events = 0;
  readonly #epoch: number;
  readonly #queue = new EventQueue<Event>();
  readonly #current = new AsyncLocalStorage<Process>();
  #sequence = 0;
  #digest = EMPTY_DIGEST;
  /** Owner of the clients and of the faults: it is never killed. */
  readonly world = new Process('world');

  /** @param epoch Unix milliseconds at its beginning */
  constructor(random: Random, epoch: number) {
    this.random = random;
    this.#epoch = epoch;
  }

  /** The process whose code runs now. */
  get process(): Process {
    return this.#current.getStore() ?? this.world;
  }

  /** The digest of all events so far, in their order. */
  get trace(): string {
    return this.#digest.toString(16).padStart(8, '0');
  }

  /** A process's clock, Unix milliseconds. */
  wallClock(process = this.process): number {
    return Math.floor(this.#epoch + this.now + process.skewMs);
  }

  /** Runs code as a process; what it starts belongs to that process, too. */
  as<T>(process: Process, work: () => T): T {
    process.enter ??= this.#current.run(process, () => AsyncLocalStorage.snapshot());
    return process.enter(work);
  }

  after(milliseconds: number, run: () => void, owner = this.process): Event {
    const at = this.now + (milliseconds > 0 ? milliseconds : 0);
    const event = { at, order: this.#sequence++, owner, run, cancelled: !owner.alive };
    if (owner.alive) this.#queue.add(event);
    return event;
  }

  /** Never resolves if the process is killed first. */
  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => void this.after(milliseconds, resolve));
  }

  /** Notes something in the trace: two runs of one seed must agree on it. */
  note(text: string): void {
    this.#digest = digestOf(text, this.#digest);
  }

  /** Ends a process between two of its awaits. @param powerCut what its disk has not synced is lost */
  kill(process: Process, powerCut = false): void {
    if (!process.alive) return;
    process.alive = false;
    for (const notify of process.onKill) notify(powerCut);
    for (const database of process.databases) if (database.isOpen) database.close();
    process.databases.clear();
  }

  /** Runs until `done`, but no longer than this. */
  async settle(milliseconds: number, done: () => boolean): Promise<void> {
    const until = this.now + milliseconds;
    while (!done() && this.now < until) await this.run(Math.min(this.now + LOOK_EVERY_MS, until));
  }

  /** Runs events until this moment. */
  run(until: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      // Node lets the ticks and promises of one immediate settle before it calls the next, even in one turn of its loop.
      const step = (): void => {
        if (isOver) return;
        try {
          isOver = !this.#runNext(until);
          if (isOver) resolve();
        } catch (error) {
          isOver = true;
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      const turn = (): void => {
        for (let left = EVENTS_PER_TURN; left > 0; left--) realImmediate(step);
        realImmediate(() => {
          if (!isOver) turn();
        });
      };
      turn();
    });
  }

  /** @returns false if there is no event left before this moment */
  #runNext(until: number): boolean {
    for (;;) {
      const event = this.#queue.first;
      if (event === undefined || event.at > until) {
        this.now = until;
        return false;
      }
      this.#queue.removeFirst();
      const { owner } = event;
      if (event.cancelled || !owner.alive) continue;
      if (owner.pausedUntil > event.at) {
        event.at = owner.pausedUntil;
        this.#queue.add(event);
        continue;
      }
      this.now = Math.max(this.now, event.at);
      this.events++;
      this.#digest = mix(this.#digest, event.order + Math.round(event.at * 1000));
      this.as(owner, event.run);
      return true;
    }
  }
}
