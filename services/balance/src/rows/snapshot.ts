/** Answers the rows of a body as they come: some windows of rows are read at once, and written in their order. */
import { MAX_BLANK_LINES } from '@hindsight/api/body-rows.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { unlessAborted } from '@hindsight/kernel/abort.ts';
import { ApiError, errorBody, gatewayTimeout, type ErrorBody } from '@hindsight/kernel/errors.ts';
import { partsOf } from '@hindsight/kernel/parts.ts';
import { nextTurn } from '@hindsight/kernel/turns.ts';
import { MAX_PROVEN_ROWS, MAX_STREAMED_ROWS, streamUnits } from '@hindsight/api/units.ts';
import type { Amount, Asset } from '../domain/asset.ts';
import { namesFields } from '../domain/pinned.ts';
import { noBalance } from '../domain/token.ts';
import type { BalanceProof } from '../domain/proof.ts';
import type { BalanceProver, OpenBlock } from '../ports.ts';
import type { BodyReader } from './body-reader.ts';
import type { ByteBudget, Claim } from './byte-budget.ts';
import type { HolderRow } from './holders.ts';
import type { AnsweredRow, SnapshotFormat } from './snapshot-format.ts';
import { SharedNodes } from './shared-nodes.ts';
import type { SnapshotFacts } from './snapshot-records.ts';
import type { WindowPlaces } from './window-places.ts';

export interface SnapshotDeps {
  readonly open: OpenBlock;
  readonly assets: readonly Asset[];
  readonly facts: SnapshotFacts;
  /** Of the one asset, where proofs were asked for. */
  readonly prover?: BalanceProver | undefined;
  readonly body: BodyReader<HolderRow>;
  /** Windows of all snapshots that are read at once. */
  readonly windows: WindowPlaces;
  /** For the windows of all snapshots from before they are read until they are taken. */
  readonly room: ByteBudget;
  readonly format: SnapshotFormat;
  /** Aborted when the caller has left. */
  readonly client: AbortSignal;
  /** Milliseconds in which something must have been read, however long the whole takes. */
  readonly progressWithinMs: number;
  /** Milliseconds in which the client must take a piece, once no more of its body comes. */
  readonly takenWithinMs: number;
  /** Ends the answer of a client that does not. */
  readonly end: () => void;
}

/** Most names of a body; more holders than that are named by their addresses. */
const MAX_NAMES = 100;
/** Balances read together: as many as two full multicalls return, which travel in one request. */
const WINDOW = 4_580;
/** Rows of a window with proofs, which take some 5 kB each. */
const PROVEN_WINDOW = 128;
/** Memory of a balance that is read and not yet taken, and of one with its proof, as deep as those of mainnet. */
const [BALANCE_BYTES, PROVEN_BYTES] = [450, 7_000];
/** A window of fewer bytes needs no room, so that a small snapshot is answered while large ones are not taken. */
const SMALL_BYTES = 256 * 1024;
/** Nodes in one record: some 60 KB. */
const NODES_PER_RECORD = 60;
const WINDOWS_UNDER_WAY = 3;
/** Characters written at once: compressed and sent before the next. */
const PIECE_CHARACTERS = 64 * 1024;
/** After this time a reader that has not taken a piece seems to send everything before it reads. */
const NOT_READ_MS = 2_000;
/** A client may take this long to send a body before it reads: 64 MiB at 75 kB/s. */
const SENT_WITHIN_MS = 15 * 60_000;
/** After this time without an answer of the nodes: that a client has left shows only while its body is read. */
const NOT_ANSWERED_MS = 5_000;
/** Pauses before a row is repeated that no node could answer. */
const PAUSES_MS = [500, 2_000];
/** Characters of a name too many that its error repeats. */
const MAX_ECHO = 256;

interface Window {
  /** The text of their records, once there was room and they were read. */
  readonly pieces: Promise<readonly string[]>;
  readonly claim: Claim | undefined;
}

interface Refusal {
  readonly line: number;
  readonly message: string;
}

export class Snapshot {
  readonly #deps: SnapshotDeps;
  readonly #names = new Map<string, Promise<string | ErrorBody>>();
  readonly #sums: bigint[];
  #rows = 0;
  /** Why the rest of the body is not read, and from which line on. */
  #refusal: Refusal | undefined;
  #errors = 0;
  #progressAt = performance.now();
  /** True while every read fails; retries are then skipped. */
  #isDown = false;

  constructor(deps: SnapshotDeps) {
    this.#deps = deps;
    this.#sums = deps.assets.map(() => 0n);
  }

  /**
   * The text of the answer, piece by piece. While a piece is not taken, no further requests start.
   * @throws {ApiError} if the body does not arrive, or not as a whole: then the answer has no end
   */
  async *pieces(): AsyncGenerator<string> {
    const { format, facts, body } = this.#deps;
    yield format.begin(facts);
    const underWay: Window[] = [];
    let taking: Promise<readonly HolderRow[]> | undefined = quiet(this.#take());
    let movesAgain = (): void => undefined;
    try {
      while (taking !== undefined || underWay.length > 0) {
        const first = underWay[0];
        const done: Promise<undefined> | undefined = first?.pieces.then(() => undefined);
        const next = underWay.length < WINDOWS_UNDER_WAY ? taking : undefined;
        movesAgain = this.#takeAllAfter(NOT_ANSWERED_MS);
        const rows = await (next && done ? Promise.race([next, done]) : (next ?? done));
        movesAgain();
        if (rows === undefined) {
          for (const piece of (await first?.pieces) ?? []) {
            movesAgain = this.#offer();
            yield piece;
            movesAgain();
          }
          this.#leave(underWay.shift());
        } else if (rows.length === 0) taking = undefined;
        else {
          underWay.push(this.#begin(rows));
          taking = quiet(this.#take());
        }
      }
      yield this.#refusal ? this.#refuseRest(this.#refusal) : this.#end();
    } finally {
      movesAgain();
      underWay.forEach((window) => this.#leave(window));
      body.discard();
    }
  }

  /** Answers a window once there is room for it. Those before it have claimed theirs, so that it waits for none that waits. */
  #begin(rows: readonly HolderRow[]): Window {
    const { assets, prover, room, client } = this.#deps;
    const bytes = rows.length * (prover ? PROVEN_BYTES : BALANCE_BYTES * assets.length);
    if (bytes < SMALL_BYTES) return { pieces: quiet(this.#answer(rows)), claim: undefined };
    const granted = Promise.withResolvers<void>();
    const claim = room.claim(bytes, granted.resolve);
    if (claim.isGranted) granted.resolve();
    const pieces = unlessAborted(granted.promise, client).then(() => this.#answer(rows));
    return { pieces: quiet(pieces), claim };
  }

  #leave(window: Window | undefined): void {
    if (window?.claim) this.#deps.room.shrink(window.claim, 0);
  }

  /** Takes in all of the body if nothing moves. @returns to be called once something does */
  #takeAllAfter(milliseconds: number): () => void {
    const { body } = this.#deps;
    const timer = setTimeout(() => (body.takesAll = true), milliseconds);
    return () => {
      clearTimeout(timer);
      body.takesAll = false;
    };
  }

  /**
   * Watches a piece that is offered: takes in the body of a client that sends everything before it reads, and ends the
   * answer of one that neither sends nor reads. @returns to be called once the piece is taken
   */
  #offer(): () => void {
    const { body, takenWithinMs, end } = this.#deps;
    const movesAgain = this.#takeAllAfter(NOT_READ_MS);
    const offered = performance.now();
    const until = (): number =>
      Math.min(Math.max(offered, body.receivedAt) + takenWithinMs, offered + SENT_WITHIN_MS);
    const stop = endAt(until, end);
    return () => {
      stop();
      movesAgain();
    };
  }

  async #take(): Promise<readonly HolderRow[]> {
    const { body, assets, prover } = this.#deps;
    if (this.#refusal) return [];
    const [window, most] = prover ? [PROVEN_WINDOW, MAX_PROVEN_ROWS] : [WINDOW, MAX_STREAMED_ROWS];
    const count = Math.max(1, Math.floor(window / assets.length));
    const rows = await body.take(count);
    const room = most - this.#rows;
    const surplus = rows[room];
    if (surplus !== undefined) this.#refuse(surplus.line, `more than ${most} rows`);
    else if (rows.length < count && body.refusedAt !== undefined)
      this.#refuse(body.refusedAt, `more than ${MAX_BLANK_LINES} blank lines, besides one for each row`);
    this.#rows += Math.min(rows.length, room);
    return rows.slice(0, room);
  }

  #refuse(line: number, what: string): void {
    this.#refusal = { line, message: `body: it has ${what}; the rest is not read` };
  }

  async #answer(holders: readonly HolderRow[]): Promise<readonly string[]> {
    const { assets, format, open } = this.#deps;
    const addresses = await this.#addressesOf(holders);
    const known = addresses.filter((address) => typeof address === 'string');
    const amounts = await this.#readAll(known);
    const proofs = await this.#proveAll(known, amounts[0]!);
    const shared = new SharedNodes();
    const proven = proofs.map((proof) =>
      proof === undefined || proof instanceof ApiError ? proof : { ...proof, nodes: shared.add(proof.nodes) },
    );
    // Each part of the work on a window has a turn of its own, so that what else waits is served between them.
    await nextTurn();
    const block = open.block.number;
    const pieces: string[] = [];
    for (const part of partsOf(shared.nodes, NODES_PER_RECORD)) pieces.push(format.nodes(part));
    let [piece, at] = ['', 0];
    // By number: iterators, and functions for a row, make objects for each.
    for (let i = 0; i < addresses.length; i++) {
      const holder = addresses[i]!;
      const { line, given } = holders[i]!;
      let row: AnsweredRow;
      if (typeof holder !== 'string') row = { line, holder: given, outcome: holder };
      else {
        const outcome = Array<bigint | ApiError>(assets.length);
        for (let k = 0; k < assets.length; k++)
          outcome[k] = amounts[k]![at] ?? noBalance(assets[k]!, holder, block);
        const proof = proven[at];
        at += 1;
        row =
          proof instanceof ApiError ? { line, holder, outcome: [proof] } : { line, holder, outcome, proof };
      }
      this.#count(row);
      piece += format.row(row);
      if (piece.length < PIECE_CHARACTERS) continue;
      pieces.push(piece);
      piece = '';
      await nextTurn();
    }
    return piece === '' ? pieces : [...pieces, piece];
  }

  /** Reads a window, once there is a place for it; its place is free as soon as each token was asked. */
  async #readAll(holders: readonly string[]): Promise<readonly (readonly Amount[])[]> {
    const { assets } = this.#deps;
    if (holders.length === 0) return assets.map(() => []);
    const leave = await this.#enter();
    const unasked = new Set(assets);
    return Promise.all(
      assets.map((asset) => {
        const asked = (): void => {
          if (unasked.delete(asset) && unasked.size === 0) leave();
        };
        return this.#read(asset, holders, asked);
      }),
    );
  }

  /** Proves the balances that were read in a window; none where no proofs were asked for. */
  async #proveAll(
    holders: readonly string[],
    amounts: readonly Amount[],
  ): Promise<readonly (BalanceProof | ApiError | undefined)[]> {
    const { prover, client } = this.#deps;
    if (prover === undefined) return [];
    const read = holders.flatMap((holder, at) => {
      const amount = amounts[at];
      return typeof amount === 'bigint' ? [{ holder, amount, at }] : [];
    });
    if (read.length === 0) return [];
    const [asked, wanted] = [read.map(({ holder }) => holder), read.map(({ amount }) => amount)];
    const prove = async (): Promise<readonly (BalanceProof | ApiError)[]> => {
      const leave = await this.#enter();
      try {
        return await this.#ofEach(asked, (signal) => prover.prove(asked, wanted, signal));
      } finally {
        this.#progressAt = performance.now();
        leave();
      }
    };
    let found = await prove();
    for (const pause of PAUSES_MS) {
      if (this.#isDown || !found.every(isTransient)) break;
      await sleep(pause, undefined, { signal: client });
      found = await prove();
    }
    const proofs: (BalanceProof | ApiError | undefined)[] = [];
    read.forEach(({ at }, i) => (proofs[at] = found[i]));
    return proofs;
  }

  /** Waits for a place: what is under way takes memory, and nodes are asked no faster for more of it. */
  #enter(): Promise<() => void> {
    const { windows, client } = this.#deps;
    return windows.enter(this, client);
  }

  #count({ outcome }: AnsweredRow): void {
    if ('code' in outcome) {
      this.#errors += 1;
      return;
    }
    let failed = false;
    for (let i = 0; i < outcome.length; i++) {
      const amount = outcome[i]!;
      if (amount instanceof ApiError) failed = true;
      else this.#sums[i]! += amount;
    }
    if (failed) this.#errors += 1;
  }

  /** The holders' addresses, or why there is none; only names are waited for. */
  async #addressesOf(holders: readonly HolderRow[]): Promise<readonly (string | ErrorBody)[]> {
    const names = new Map<string, string | ErrorBody>();
    for (const { holder } of holders) if ('name' in holder) names.set(holder.name, holder.name);
    await Promise.all(names.keys().map(async (name) => names.set(name, await this.#resolve(name))));
    return holders.map(({ holder }) => {
      if ('code' in holder) return holder;
      return 'address' in holder ? holder.address : names.get(holder.name)!;
    });
  }

  async #resolve(name: string): Promise<string | ErrorBody> {
    const { open, client } = this.#deps;
    let resolved = this.#names.get(name);
    if (resolved === undefined) {
      if (this.#names.size === MAX_NAMES) {
        const message = `holder: ${name.slice(0, MAX_ECHO)} is one name too many; a request may have ${MAX_NAMES}`;
        return errorBody('too_many_names', message);
      }
      resolved = this.#inTime((signal) => open.resolve(name, signal)).catch((error: unknown) => {
        client.throwIfAborted();
        if (error instanceof ApiError) return error.body;
        throw error;
      });
      this.#names.set(name, quiet(resolved));
    }
    return resolved;
  }

  /**
   * Reads balances; where no node could answer, again after a pause.
   * @param asked called, perhaps repeatedly, once all of them were asked together
   */
  async #read(asset: Asset, holders: readonly string[], asked: () => void): Promise<readonly Amount[]> {
    const { client } = this.#deps;
    const amounts = [...(await this.#tryRead(asset, holders, asked))];
    for (const pause of PAUSES_MS) {
      if (this.#isDown || !amounts.some(isTransient)) break;
      const again = [...amounts.keys()].filter((at) => isTransient(amounts[at]));
      await sleep(pause, undefined, { signal: client });
      const repeated = again.map((at) => holders[at]!);
      const retried = await this.#tryRead(asset, repeated, await this.#enter());
      again.forEach((at, i) => (amounts[at] = retried[i]));
    }
    this.#isDown = amounts.every(isTransient);
    return amounts;
  }

  async #tryRead(asset: Asset, holders: readonly string[], asked: () => void): Promise<readonly Amount[]> {
    const { open } = this.#deps;
    const noted = (): void => {
      asked();
      this.#progressAt = performance.now();
    };
    try {
      return await this.#ofEach(holders, async (signal) => {
        const amounts = await open.read(asset, holders, signal, noted);
        noted();
        return amounts;
      });
    } finally {
      asked();
    }
  }

  /** Waits for an outcome of each holder; an error is the outcome of all. */
  async #ofEach<T>(
    holders: readonly string[],
    work: (signal: AbortSignal) => Promise<readonly T[]>,
  ): Promise<readonly (T | ApiError)[]> {
    try {
      return await this.#inTime(work);
    } catch (error) {
      this.#deps.client.throwIfAborted();
      if (error instanceof ApiError) return holders.map(() => error);
      throw error;
    }
  }

  /** Waits for work as long as the snapshot makes progress. @throws {ApiError} 504 */
  async #inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { client, progressWithinMs } = this.#deps;
    const stalled = new AbortController();
    // Made only then: an error for each of a hundred names takes longer than their answers.
    const late = (): Error =>
      gatewayTimeout('deadline_exceeded', `Nothing was read for ${progressWithinMs / 1_000} s.`);
    const begun = performance.now();
    const until = (): number => Math.max(begun, this.#progressAt) + progressWithinMs;
    const stop = endAt(until, () => stalled.abort(late()));
    const signal = AbortSignal.any([client, stalled.signal]);
    try {
      return await unlessAborted(work(signal), signal);
    } finally {
      stop();
    }
  }

  /** A body with too many rows or blank lines gets no end: its answer is not complete. */
  #refuseRest({ line, message }: Refusal): string {
    const outcome = errorBody('body_too_large', message);
    return this.#deps.format.row({ line, holder: '', outcome });
  }

  #end(): string {
    const { assets, format, open, prover } = this.#deps;
    const sums = this.#sums.map(String);
    const sum =
      assets.length === 1 ? sums[0]! : Object.fromEntries(assets.map((asset, i) => [asset, sums[i]!]));
    const price = { tokens: assets.length, isProven: prover !== undefined };
    const units = streamUnits(this.#rows, price);
    return format.end({
      record: 'end',
      holders: this.#rows,
      errors: this.#errors,
      sum,
      units,
      ...namesFields(open.namesAt),
    });
  }
}

/** Calls `end` at a time that may move meanwhile. @param until the time, by `performance.now()` @returns cancels it */
function endAt(until: () => number, end: () => void): () => void {
  let timer: NodeJS.Timeout;
  const watch = (): void => {
    const left = until() - performance.now();
    if (left > 0) timer = setTimeout(watch, left);
    else end();
  };
  watch();
  return () => clearTimeout(timer);
}

/** No node answered: that may be otherwise in a moment. */
function isTransient(outcome: unknown): boolean {
  return outcome instanceof ApiError && (outcome.statusCode === 503 || outcome.statusCode === 504);
}

/** The failure is seen where the work is awaited; until then it must not count as an unhandled rejection. */
function quiet<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}
