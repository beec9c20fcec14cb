/** Finds the largest holders of a token: by reading all of them, once for a block. */
import { MAX_HOLDERS_READ, MAX_LARGEST } from '@hindsight/api/units.ts';
import { ApiError, gatewayTimeout, unavailable } from '@hindsight/kernel/errors.ts';
import { LRUCache } from 'lru-cache';
import { Largest, type Holding } from '../domain/largest.ts';
import { readAmounts } from './amounts.ts';
import { HolderTally } from './holder-stream.ts';
import { allAddressesOf, type OpenQuestion, type ServedHolders } from './indexed-question.ts';
import type { TokenFacts } from './records.ts';

/** The largest holders, as many as anybody may ask for, and what all of them have. */
export interface LargestReading {
  readonly facts: TokenFacts;
  readonly largest: readonly Holding[];
  readonly totals: HolderTally['totals'];
  /** Addresses whose balance was read, or could not be. */
  readonly read: number;
  readonly supply: string | null;
  /** False where nodes failed to answer about some addresses: asked again, they may. */
  readonly isLasting: boolean;
}

/** Addresses of one request to the balance service, and such requests at a time. */
const WINDOW = 10_000;
const WINDOWS = 2;
/** A reading that its callers no longer wait for goes on: they ask again. */
const READ_WITHIN_MS = 60_000;
/** Readings at a time, and those that are kept. */
const MOST_READING = 4;
const MOST_KEPT = 64;

/** Reads, and keeps what was read by token and block. */
export class LargestReader {
  readonly #kept = new LRUCache<string, Promise<LargestReading>>({ max: MOST_KEPT });
  readonly #withinMs: number;
  readonly #most: number;
  #reading = 0;

  /** @param withinMs milliseconds that a reading may take @param most addresses that are read */
  constructor(withinMs = READ_WITHIN_MS, most = MAX_HOLDERS_READ) {
    this.#withinMs = withinMs;
    this.#most = most;
  }

  /** @throws {ApiError} */
  read(network: ServedHolders, question: OpenQuestion): Promise<LargestReading> {
    const { token, id, hash } = question.asset;
    const key = `${token} ${id ?? ''} ${hash} ${question.index.from_block}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    if (this.#reading >= MOST_READING)
      return Promise.reject(
        unavailable(
          'overloaded',
          `The largest holders of ${MOST_READING} other tokens are being read at the moment.`,
          { seconds: 5 },
        ),
      );
    this.#reading += 1;
    const signal = AbortSignal.timeout(this.#withinMs);
    const reading = readAll(network, question, { most: this.#most, signal })
      .catch((error: unknown) => {
        throw signal.aborted && !(error instanceof ApiError) ? late(this.#withinMs, error) : error;
      })
      .finally(() => (this.#reading -= 1));
    this.#kept.set(key, reading);
    const forget = (): void => void this.#kept.delete(key);
    reading.then(({ isLasting }) => isLasting || forget(), forget);
    return reading;
  }
}

async function readAll(
  network: ServedHolders,
  question: OpenQuestion,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<LargestReading> {
  const { asset } = question;
  const largest = new Largest(MAX_LARGEST);
  const tally = new HolderTally();
  let facts: TokenFacts | undefined;
  let [read, isLasting] = [0, true];
  const add = async (window: readonly string[]): Promise<void> => {
    read += window.length;
    if (read > most) throw tooMany(most);
    const amounts = await readAmounts(network.balances, asset, window, signal);
    facts = amounts.facts;
    for await (const part of amounts.lines)
      for (const line of part) {
        const record = tally.record(line, amounts.facts.token_type);
        if (record?.record === 'holder')
          largest.add({ holder: record.holder, balance: BigInt(record.balance) });
        else if (record !== undefined) isLasting &&= record.error.statusCode < 500;
      }
  };
  const addresses = allAddressesOf(network, question, most + 1);
  const [supply] = await Promise.all([
    asset.id === undefined ? network.balances.supply(asset.token, asset.hash, signal) : null,
    inWindows(addresses, add),
  ]);
  if (facts === undefined) throw new TypeError('a reading has facts');
  return { facts, largest: largest.get(), totals: tally.totals, read, supply, isLasting };
}

/** Works on addresses window by window, on some windows at a time. @throws what `work` throws first; no further one is then begun */
async function inWindows(
  parts: AsyncIterable<readonly string[]>,
  work: (window: readonly string[]) => Promise<void>,
): Promise<void> {
  const windows = windowsOf(parts);
  const workOn = async (): Promise<void> => {
    // Ends the windows where it throws, for the others too.
    for await (const window of windows) await work(window);
  };
  await Promise.all(Array.from({ length: WINDOWS }, workOn));
}

/** One window at least: the facts come with balances. */
async function* windowsOf(parts: AsyncIterable<readonly string[]>): AsyncGenerator<readonly string[], void> {
  let window: string[] = [];
  let isFirst = true;
  for await (const part of parts) {
    for (const address of part) {
      if (window.push(address) < WINDOW) continue;
      yield window;
      window = [];
      isFirst = false;
    }
  }
  if (window.length > 0 || isFirst) yield window;
}

function late(withinMs: number, cause: unknown): ApiError {
  return gatewayTimeout('deadline_exceeded', `The holders could not be read within ${withinMs} ms.`, cause);
}

function tooMany(most: number): ApiError {
  return new ApiError(
    'too_many_holders',
    `token_address: events name more than ${most} addresses up to this block, more than are read to find the ` +
      'largest; expected order=address, which lists them all',
  );
}
