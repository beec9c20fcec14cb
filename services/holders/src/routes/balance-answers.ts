/** Requests to the balance service, and the reading of its answers. */
import { ApiError, badGateway } from '@hindsight/kernel/errors.ts';
import { ERROR_CASES, type ErrorCode } from '@hindsight/kernel/error-codes.ts';
import { LRUCache } from 'lru-cache';
import { textOf, type ServiceAnswer, type ServiceRequest } from '@hindsight/http/other-service.ts';
import type { BalanceApi, PinnedBlock } from '../ports.ts';

/** Tokens of which it is known. */
const MOST_KNOWN = 1_000;

/** Errors about a block that no node has, or not yet, or that is before the first one. */
const NO_STATE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'state_unavailable',
  'block_unavailable',
  'invalid_parameter',
  'block_above_head',
]);

/** The state of a token before its index begins; `some` supply, or a contract that reports none. */
type Before = 'no contract' | 'no supply' | 'some';

export class BalanceQuestions {
  readonly #api: BalanceApi;
  readonly #network: string;
  /** Answers about where an index begins last: that block is finalized. */
  readonly #befores = new LRUCache<string, Before>({ max: MOST_KNOWN });

  constructor(api: BalanceApi, network: string) {
    this.#api = api;
    this.#network = network;
  }

  /** The block that is meant. @throws {ApiError} as the balance service answers */
  async block(when: URLSearchParams, signal: AbortSignal): Promise<PinnedBlock> {
    const body = (await this.record('block', when, signal)) as {
      readonly block_number: number;
      readonly block_hash: string;
      readonly parent_hash: string;
      readonly date: string;
      readonly finalized: boolean;
    };
    return {
      number: body.block_number,
      hash: body.block_hash,
      parentHash: body.parent_hash,
      timestamp: Date.parse(body.date) / 1_000,
      finalized: body.finalized,
    };
  }

  /** The total supply as the contract reports it; null if it reports none. @throws {ApiError} */
  async supply(token: string, hash: string, signal: AbortSignal): Promise<string | null> {
    const query = { token_address: token, block_hash: hash };
    try {
      return ((await this.record('supply', query, signal)) as { readonly total_supply: string }).total_supply;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'no_supply') return null;
      throw error;
    }
  }

  /**
   * True if a token had no supply before a finalized block, as far as nodes know: what it mints in that block itself is indexed.
   * @throws {ApiError}
   */
  async hadNone(token: string, from: number, signal: AbortSignal): Promise<boolean> {
    const before = await this.#before(token, from, signal);
    return before === 'no contract' || before === 'no supply';
  }

  /** True if there was no such contract before: one without supply may have burnt all that it had. @throws {ApiError} */
  async didNotExist(token: string, from: number, signal: AbortSignal): Promise<boolean> {
    return (await this.#before(token, from, signal)) === 'no contract';
  }

  async #before(token: string, from: number, signal: AbortSignal): Promise<Before | undefined> {
    if (from === 0) return 'no contract';
    const key = `${token} ${from}`;
    const known = this.#befores.get(key);
    if (known !== undefined) return known;
    // Its own end is the next best where nodes have no block before it.
    const answer = (await this.#at(token, from - 1, signal)) ?? (await this.#at(token, from, signal));
    if (answer !== undefined) this.#befores.set(key, answer);
    return answer;
  }

  /** Undefined where no node has the state of that block, or it is before the first: another time one may. */
  async #at(token: string, height: number, signal: AbortSignal): Promise<Before | undefined> {
    const query = { token_address: token, block_height: String(height) };
    try {
      const { total_supply: supply } = (await this.record('supply', query, signal)) as {
        readonly total_supply: string;
      };
      return supply === '0' ? 'no supply' : 'some';
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'no_contract') return 'no contract';
      if (NO_STATE.has(error.code)) return undefined;
      // An ERC-1155 contract has no total supply.
      if (error.statusCode === 404 || error.code === 'wrong_token_standard') return 'some';
      throw error;
    }
  }

  /** Asks for a record. @throws {ApiError} as the balance service answers */
  async record(
    path: string,
    query: URLSearchParams | Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const asked = `/v1/${this.#network}/${path}?${new URLSearchParams(query).toString()}`;
    const answer = await this.#api.ask({ method: 'GET', path: asked, signal });
    if (answer.status !== 200) throw await toApiError(answer);
    return JSON.parse(await textOf(answer.body));
  }

  /** Sends rows. @returns the text of the answer, part by part @throws {ApiError} as the balance service answers */
  async send(
    path: string,
    body: ServiceRequest['body'] & object,
    signal: AbortSignal,
  ): Promise<AsyncIterable<string>> {
    const answer = await this.#api.ask({
      method: 'POST',
      path: `/v1/${this.#network}/${path}`,
      body,
      signal,
    });
    if (answer.status !== 200) throw await toApiError(answer);
    return answer.body;
  }
}

async function toApiError(answer: ServiceAnswer): Promise<ApiError> {
  const text = await textOf(answer.body);
  try {
    const { code, message } = JSON.parse(text) as { readonly code: ErrorCode; readonly message: string };
    const headers = answer.retryAfter === undefined ? {} : { 'retry-after': answer.retryAfter };
    if (code in ERROR_CASES) return new ApiError(code, message, { headers });
  } catch {
    // Not JSON: told below.
  }
  return badGateway('node_failed', 'The balance service gave no usable answer.', text.slice(0, 200));
}
