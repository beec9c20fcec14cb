/** Derives from a range's events its additions to the list. */
import { toChecksum } from '@hindsight/chain/address.ts';
import type { RangeReading } from '@hindsight/indexing/range-reading.ts';
import { retryTransient, type RetryOptions } from '@hindsight/indexing/retry-transient.ts';
import { partsOf } from '@hindsight/kernel/parts.ts';
import { LRUCache } from 'lru-cache';
import { compareTokens, fillNames, lacksNames, nextLook, type TokenNames } from '../domain/token.ts';
import type { ContractsSeen, FirstSeen } from '../domain/transfers.ts';
import type { IndexedRange, NewToken, TokenIndex } from '../ports.ts';
import type { RecentBlock } from './recent-block.ts';
import type { Judgement, TokenJudge } from './token-judge.ts';

/** Contracts that are judged at the same time. */
const JUDGED_TOGETHER = 16;
/** Addresses known to be in the index that are kept in memory. */
const REMEMBERED = 100_000;
/** Judgements that are kept in case a range is read again. */
const KEPT_JUDGEMENTS = 10_000;

export interface PreparedRange {
  readonly reading: RangeReading<ContractsSeen>;
  readonly judged: readonly JudgedContract[];
}

interface JudgedContract extends Judgement {
  readonly seen: FirstSeen;
}

export interface PreparerDeps {
  readonly index: TokenIndex;
  readonly judge: TokenJudge;
  readonly recent: RecentBlock;
  /** Seconds after which a token without a name is looked at again. */
  readonly lookAgainAfter: readonly number[];
}

/** Prepares ranges ahead, and names their additions once those before them are in the index. */
export class RangePreparer {
  readonly #deps: PreparerDeps;
  /** Addresses that are certainly in the index. */
  readonly #seen = new LRUCache<string, true>({ maxSize: REMEMBERED, sizeCalculation: () => 1 });
  /** By block and address: the block in which a contract was first seen decides its kind. */
  readonly #judgements = new LRUCache<string, Judgement>({ max: KEPT_JUDGEMENTS });

  constructor(deps: PreparerDeps) {
    this.#deps = deps;
  }

  /** Judges contracts that are not in the index yet. Ranges may be prepared in any order. */
  async prepare(reading: RangeReading<ContractsSeen>, retry: RetryOptions): Promise<PreparedRange> {
    const fresh = await this.#unseen([...reading.found.keys()]);
    const seen = fresh.flatMap((address) => reading.found.get(address) ?? []);
    const judged: JudgedContract[] = [];
    for (const part of partsOf(seen, JUDGED_TOGETHER))
      judged.push(...(await Promise.all(part.map((contract) => this.#judge(contract, retry)))));
    return { reading, judged };
  }

  /**
   * A range's additions, now that all ranges before it are in the index; a contract may have been seen in one
   * of those.
   */
  async additions({ reading, judged }: PreparedRange, signal: AbortSignal): Promise<IndexedRange> {
    const fresh = new Set(await this.#unseen(judged.map(({ seen }) => seen.address)));
    const first = judged.filter(({ seen }) => fresh.has(seen.address));
    const { timestamp: now } = await this.#deps.recent.read(signal);
    const { from, to, hash } = reading;
    return {
      from,
      to,
      hash,
      tokens: first.flatMap((contract) => this.#toToken(contract, now) ?? []).sort(compareTokens),
      others: first.filter(({ type }) => type === null).map(({ seen }) => seen.address),
    };
  }

  /** Records that a range is in the index. */
  remember({ judged }: PreparedRange): void {
    for (const { seen } of judged) this.#seen.set(seen.address, true);
  }

  async #judge(seen: FirstSeen, retry: RetryOptions): Promise<JudgedContract> {
    const key = `${seen.blockHash}${seen.address}`;
    const known = this.#judgements.get(key);
    if (known !== undefined) return { seen, ...known };
    const { type, names } = await retryTransient(retry, () => this.#deps.judge.judge(seen, retry.signal));
    const judgement = {
      type,
      names: type === null ? names : await this.#presentNames(seen, names, retry),
    };
    this.#judgements.set(key, judgement);
    return { seen, ...judgement };
  }

  /** Present names; a contract that is gone or lost its name since keeps those of its first block. */
  async #presentNames({ address }: FirstSeen, first: TokenNames, retry: RetryOptions): Promise<TokenNames> {
    const { signal } = retry;
    const { judge, recent } = this.#deps;
    const present = await retryTransient(retry, () =>
      recent.ask(signal, (block) => judge.names(block, address, signal)),
    );
    return fillNames(present, first);
  }

  async #unseen(addresses: readonly string[]): Promise<readonly string[]> {
    const asked = addresses.filter((address) => !this.#seen.has(address));
    if (asked.length === 0) return [];
    const fresh = await this.#deps.index.unseen(asked);
    const isFresh = new Set(fresh);
    for (const address of asked) if (!isFresh.has(address)) this.#seen.set(address, true);
    return fresh;
  }

  #toToken({ seen, type, names }: JudgedContract, now: number): NewToken | undefined {
    if (type === null) return undefined;
    const lookAt = lacksNames(names) ? nextLook(0, now, this.#deps.lookAgainAfter) : null;
    return { address: toChecksum(seen.address), blockHeight: seen.block, type, ...names, lookAt };
  }
}
