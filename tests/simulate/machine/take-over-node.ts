/**
 * Replaces Node's timers, clocks, randomness, files and embedded databases by those of a simulated machine, for all code of
 * this process, so that nothing in a service runs in real time.
 */
import crypto from 'node:crypto';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import timersPromises from 'node:timers/promises';
import { takeOverFiles } from './files.ts';
import type { Event, Machine } from './machine.ts';

/** A turn of the event loop takes some time: otherwise a loop that polls the clock would never end. */
const TURN_MS = 0.01;

/** Call it once, before any code of the services is loaded. @param current returns the machine of the current run */
export function takeOverNode(current: () => Machine): void {
  takeOverTimers(current);
  takeOverClocks(current);
  takeOverRandomness(current);
  takeOverFiles(current);
  takeOverDatabases(current);
  syncBuiltinESMExports();
}

/** A timer as Node's code expects it. */
class Timer {
  readonly #machine: Machine;
  readonly #milliseconds: number;
  readonly #run: (timer: Timer) => void;
  #event: Event;

  constructor(machine: Machine, milliseconds: number, run: (timer: Timer) => void) {
    this.#machine = machine;
    this.#milliseconds = milliseconds;
    this.#run = run;
    this.#event = machine.after(milliseconds, () => run(this));
  }

  refresh(): this {
    this.#event.cancelled = true;
    this.#event = this.#machine.after(this.#milliseconds, () => this.#run(this), this.#event.owner);
    return this;
  }

  close(): this {
    this.#event.cancelled = true;
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

type Callback = (...values: unknown[]) => void;

function takeOverTimers(current: () => Machine): void {
  const set = (run: Callback, milliseconds = 1, ...values: unknown[]): Timer =>
    new Timer(current(), Math.max(milliseconds, 1), () => run(...values));
  const repeat = (run: Callback, milliseconds = 1, ...values: unknown[]): Timer =>
    new Timer(current(), Math.max(milliseconds, 1), (timer) => {
      timer.refresh();
      run(...values);
    });
  const soon = (run: Callback, ...values: unknown[]): Timer =>
    new Timer(current(), TURN_MS, () => run(...values));
  const clear = (timer: unknown): void => void (timer instanceof Timer && timer.close());
  Object.assign(globalThis, {
    setTimeout: set,
    setInterval: repeat,
    setImmediate: soon,
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  });
  Object.assign(timersPromises, {
    async setTimeout(milliseconds = 1, value?: unknown, { signal }: { signal?: AbortSignal } = {}) {
      signal?.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const timer = set(resolve as Callback, milliseconds);
      const onAbort = (): void => (timer.close(), reject(signal?.reason as Error));
      signal?.addEventListener('abort', onAbort);
      await promise.finally(() => signal?.removeEventListener('abort', onAbort));
      return value;
    },
    async setImmediate(value?: unknown) {
      await new Promise<void>((resolve) => void soon(resolve as Callback));
      return value;
    },
  });
  AbortSignal.timeout = (milliseconds) => {
    const late = new AbortController();
    set(() => late.abort(new DOMException('timed out', 'TimeoutError')), milliseconds);
    return late.signal;
  };
}

function takeOverClocks(current: () => Machine): void {
  Date.now = () => current().wallClock();
  performance.now = () => current().now;
  // Simulated processes are never busy.
  performance.eventLoopUtilization = () => ({ idle: current().now, active: 0, utilization: 0 });
}

function takeOverRandomness(current: () => Machine): void {
  Math.random = () => current().random.next();
  const randomUUID = (): string => current().random.uuid();
  Object.assign(crypto, {
    randomUUID,
    randomBytes: (count: number) => current().random.bytes(count),
    randomInt: (from: number, to?: number) =>
      to === undefined ? current().random.below(from) : from + current().random.below(to - from),
  });
  Object.assign(globalThis.crypto, { randomUUID });
}

/** SQLite's result codes (https://www.sqlite.org/rescode.html). */
const IOERR = 10;
const FULL = 13;

/**
 * A database belongs to the process that first uses it, and is closed when that is killed. On a faulty disk a commit may fail,
 * and may have taken place nevertheless.
 */
function takeOverDatabases(current: () => Machine): void {
  const known = new WeakSet<DatabaseSync>();
  const exec: (this: DatabaseSync, sql: string) => void = Reflect.get(DatabaseSync.prototype, 'exec');
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string): void {
    const { process, random } = current();
    if (!known.has(this)) process.databases.add(this);
    known.add(this);
    if (sql !== 'COMMIT') return exec.call(this, sql);
    if (process.diskFull) throw sqliteError('database or disk is full', FULL);
    const fails = process.diskErrors > 0 && random.chance(process.diskErrors);
    if (!fails || random.chance(0.5)) exec.call(this, sql);
    if (fails) throw sqliteError('disk I/O error', IOERR);
  };
  const stand = import.meta.resolve('./one-process-sqlite.ts');
  registerHooks({
    resolve: (name, context, next) =>
      name === 'node:sqlite' && context.parentURL !== stand ? next(stand, context) : next(name, context),
  });
}

function sqliteError(message: string, errcode: number): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode });
}
