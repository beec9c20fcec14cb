/** One node of several: used only while it is healthy, and watched while it answers. */
import { Bulkhead, type BulkheadLimits } from '@hindsight/kernel/bulkhead.ts';
import { Circuit, type CircuitLimits } from '@hindsight/kernel/circuit.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { resultOf, type EthereumNode, type RpcCall, type RpcOptions, type RpcOutcome } from '../rpc/node.ts';
import type { Carriage, CarriedNode } from '../state/multicall/carriers/carried-node.ts';
import { NodeError, tooManyWait } from '../rpc/node-error.ts';
import type { NodeErrorKind } from '../rpc/node-error-kind.ts';
import type { Finality, FinalityNode } from './finality-node.ts';
import { numberToQuantity, readQuantity } from '../rpc/hex.ts';
import { HEAD, headerCall, heightIn } from '../state/block.ts';
import { KeptBlocks, OLD_BLOCK, type OldestBlocks, type Question } from './kept-blocks.ts';
import { headIn } from './verdict.ts';

/** State of a node, for readiness and metrics. */
export interface NodeHealth {
  readonly label: string;
  /**
   * `untried`: not used yet; `busy`: left alone at its own request; `down`: failed too often, left alone for
   * a while; `trial`: about to be tried again; `wrong-chain`: not trusted.
   */
  readonly state: 'untried' | 'ok' | 'lagging' | 'busy' | 'down' | 'trial' | 'wrong-chain';
  /** The last head it has reported. */
  readonly head?: number;
  /** Blocks that it is behind the best head of all nodes. */
  readonly lag?: number;
  /** Carrier of programs, once known. */
  readonly carriage?: Carriage;
  /** Its last finalized block, under a rule of finality. */
  readonly finality?: Finality;
  /** The oldest blocks that it has data of, as far as it has reported or shown that. */
  readonly oldest: OldestBlocks;
}

export interface MemberDeps {
  readonly chainId: number;
  readonly clock: Clock;
  readonly logger: Logger | undefined;
  readonly circuit: CircuitLimits;
  readonly bulkhead: BulkheadLimits;
  /** Called when it has reported a head. */
  readonly onHead?: () => void;
}

interface SendOptions extends RpcOptions {
  readonly timeoutMs: number;
}

/** Interval of checks of the chain id, which travel with a question: a URL may lead elsewhere one day. */
const VERIFIED_FOR_MS = 60_000;
/**
 * Providers answer from several machines, so heads go back and forth: the highest is believed for this long. A head that
 * was lower in this number of reports in a row, over this time, has moved back.
 */
const HIGHEST_FOR_MS = 60_000;
const MOVED_BACK_REPORTS = 4;
const MOVED_BACK_MS = 3_000;
/** Reports of two nodes that are no farther apart are of one moment: later, a chain may have grown by many blocks. */
const TOGETHER_MS = 500;
/** Time for which a busy node is left alone if it names none, and the longest that it may name. */
const BUSY_MS = 1_000;
const MAX_BUSY_MS = 60_000;
/** Kinds of error that mean that a node is unhealthy. */
const FAILURES: ReadonlySet<NodeErrorKind> = new Set<NodeErrorKind>(['unreachable', 'timeout', 'malformed']);
const CHAIN_ID: RpcCall = { method: 'eth_chainId', params: [] };
const CAPABILITIES: RpcCall = { method: 'eth_capabilities', params: [] };
const EARLIEST = headerCall('earliest');
const proofAt = (height: number): RpcCall => ({
  method: 'eth_getProof',
  params: [`0x${'0'.repeat(40)}`, [], numberToQuantity(height)],
});
/** Lifetime of a node's report on kept blocks, which changes only with its configuration. */
const LEARNT_FOR_MS = 600_000;
/** Interval before a node without such a report gets the question again. */
const UNLEARNT_FOR_MS = 60_000;

/** A node for a pool: one with a carrier runs programs too, one under a rule of finality reports how it fares. */
export type PoolNode = EthereumNode &
  Partial<Pick<CarriedNode, 'carriage'>> &
  Partial<Pick<FinalityNode, 'finality'>>;

export class Member {
  readonly node: PoolNode;
  readonly #deps: MemberDeps;
  readonly #circuit: Circuit;
  readonly #bulkhead: Bulkhead;
  #verifiedAt = -Infinity;
  #busyUntil = -Infinity;
  #asked = false;
  #wrongChain = false;
  #polling = false;
  #head: number | undefined;
  #headAt = -Infinity;
  /** The best head of all nodes when it reported its own. */
  #bestThen = -1;
  #highest = { head: -1, at: -Infinity };
  /** Reports of a lower head since the highest. */
  #lower = 0;
  #lastError: NodeError | undefined;
  readonly #kept: KeptBlocks;
  #learnAgainAt = -Infinity;
  /** Its first block, until it is asked for the proof of it. */
  #unprovenFirst: number | undefined;

  constructor(node: PoolNode, deps: MemberDeps) {
    this.node = node;
    this.#deps = deps;
    this.#circuit = new Circuit(deps.clock, deps.circuit);
    this.#bulkhead = new Bulkhead(deps.bulkhead, () => tooManyWait(`for ${node.label}`));
    this.#kept = new KeptBlocks(deps.clock);
  }

  /** The last head it has reported. */
  get head(): number | undefined {
    return this.#wrongChain ? undefined : this.#head;
  }

  /** The highest head it has reported; -1 if none, and for one that is down if it was not lately. */
  get highestHead(): number {
    const isOld = this.#deps.clock.now() - this.#highest.at > HIGHEST_FOR_MS;
    return this.#wrongChain || (this.isDown && isOld) ? -1 : this.#highest.head;
  }

  /** Blocks that it was behind the best head when it last reported its own. */
  get lag(): number | undefined {
    const { head } = this;
    return head === undefined ? undefined : Math.max(0, this.#bestThen - head);
  }

  /** Notes the best head of all nodes, unless it is one of a later moment than its own. */
  noteBest(head: number): void {
    if (this.#deps.clock.now() - this.#headAt < TOGETHER_MS) this.#bestThen = Math.max(this.#bestThen, head);
  }

  get lastError(): NodeError | undefined {
    return this.#lastError;
  }

  get isOnWrongChain(): boolean {
    return this.#wrongChain;
  }

  /** True if it has failed too often. */
  get isDown(): boolean {
    return this.#circuit.state !== 'closed';
  }

  /** True if the last that it was asked has failed. */
  get isFailing(): boolean {
    return this.#circuit.hasFailed;
  }

  /** True if it is spared because of its answers, not because of its load. */
  get isSpared(): boolean {
    return this.isDown || this.waitMs > 0;
  }

  /** True if it has failed and has not yet recovered. */
  get isOnTrial(): boolean {
    return this.#circuit.state === 'half-open';
  }

  /** True if it may be used now. */
  get isAvailable(): boolean {
    return this.waitMs === 0 && this.#circuit.admits && !this.#bulkhead.isFull;
  }

  /** Milliseconds for which it is spared. */
  get waitMs(): number {
    return Math.max(0, this.#busyUntil - this.#deps.clock.now(), this.#circuit.waitMs);
  }

  /** True if it has dropped the data that a question needs, as far as it has reported or shown that. */
  lacks(question: Question): boolean {
    return this.#kept.lacks(question, this.head);
  }

  /**
   * Asks which past blocks it keeps, unless that was done recently. Many nodes cannot answer: until it is known which proofs a
   * node has, it is asked for an old one too, and for its first block.
   */
  async learn(options: SendOptions): Promise<void> {
    const { clock } = this.#deps;
    if (clock.now() < this.#learnAgainAt || this.isSpared) return;
    this.#learnAgainAt = clock.now() + UNLEARNT_FOR_MS;
    try {
      const calls = this.#kept.knowsProofs ? [CAPABILITIES] : [CAPABILITIES, proofAt(OLD_BLOCK), EARLIEST];
      const [word, proof, earliest] = await this.node.send(calls, options);
      this.#kept.noteOldProof(proof, OLD_BLOCK);
      const first = heightIn(earliest) ?? 0;
      this.#unprovenFirst = first > OLD_BLOCK ? first : undefined;
      this.#kept.noteWord(resultOf(word));
      this.#learnAgainAt = clock.now() + LEARNT_FOR_MS;
    } catch {
      this.#kept.noteWord(undefined);
    }
  }

  /**
   * Asks for the proof of its first block, where that was learnt to be a later one and it has not said which it proves. Not a
   * part of `learn`, which is one request: it is asked for in the background, too.
   */
  async proveFirst(options: SendOptions): Promise<void> {
    const first = this.#unprovenFirst;
    if (first === undefined || this.#kept.knowsProofs || this.isSpared) return;
    this.#unprovenFirst = undefined;
    const [proof] = await this.node.send([proofAt(first)], options).catch(() => []);
    this.#kept.noteOldProof(proof, first);
  }

  /** Asks it. @throws {NodeError} */
  async send(calls: readonly RpcCall[], options: SendOptions): Promise<readonly RpcOutcome[]> {
    const { signal, timeoutMs } = options;
    const begun = performance.now();
    const place = this.#bulkhead.enter(timeoutMs, signal);
    if (place) await place;
    try {
      const waited = place ? performance.now() - begun : 0;
      return await this.#pass(calls, { ...options, timeoutMs: Math.max(1, timeoutMs - waited) });
    } finally {
      this.#bulkhead.leave();
    }
  }

  /** Asks for its head, unless an answer of the last `maxAgeMs` milliseconds shows it. */
  async poll(maxAgeMs: number, options: SendOptions): Promise<void> {
    const { clock } = this.#deps;
    if (this.#polling) return;
    this.#polling = true;
    try {
      // Not awaited: a node may be slow to say what it keeps, and its head is needed meanwhile.
      void this.learn(options);
      const isKnown = clock.now() - this.#headAt < maxAgeMs && this.#circuit.state === 'closed';
      if (isKnown || this.waitMs > 0 || !this.#circuit.admits) return;
      await this.#pass([HEAD], options);
    } catch {
      // Recorded already.
    } finally {
      this.#polling = false;
    }
  }

  /** @param maxLag blocks behind the best head that do not count */
  health(maxLag: number): NodeHealth {
    const { head, lag } = this;
    const carriage = this.node.carriage?.();
    const finality = this.node.finality?.();
    const state = ((): NodeHealth['state'] => {
      if (this.#wrongChain) return 'wrong-chain';
      if (this.#circuit.state === 'open') return 'down';
      if (this.#circuit.state === 'half-open') return 'trial';
      if (this.waitMs > 0) return 'busy';
      if (lag !== undefined && lag > maxLag) return 'lagging';
      return this.#asked ? 'ok' : 'untried';
    })();
    return {
      label: this.node.label,
      state,
      ...(head === undefined ? {} : { head }),
      ...(lag === undefined ? {} : { lag }),
      ...(carriage === undefined ? {} : { carriage }),
      ...(finality === undefined ? {} : { finality }),
      oldest: this.#kept.oldest(head),
    };
  }

  async #pass(calls: readonly RpcCall[], options: SendOptions): Promise<readonly RpcOutcome[]> {
    if (!this.#circuit.enter()) {
      throw (
        this.#lastError ??
        new NodeError('unreachable', `${this.node.label} is not asked for a while, after failures`)
      );
    }
    this.#asked = true;
    try {
      const outcomes = await this.#sendVerified(calls, options);
      this.#noteAnswer(calls, outcomes);
      return outcomes;
    } catch (error) {
      this.#noteFailure(error);
      throw error;
    }
  }

  /** Asks for the chain id along with the question, in the same request, unless it is known. */
  async #sendVerified(calls: readonly RpcCall[], options: SendOptions): Promise<readonly RpcOutcome[]> {
    const { clock, chainId, logger } = this.#deps;
    const trusted = this.#circuit.state === 'closed' && clock.now() - this.#verifiedAt < VERIFIED_FOR_MS;
    if (trusted) return this.node.send(calls, options);
    const [answer, ...outcomes] = await this.node.send([CHAIN_ID, ...calls], options);
    const found = readQuantity(resultOf(answer));
    if (found === undefined) throw new NodeError('malformed', `${this.node.label} names no chain`);
    if (found !== chainId) {
      const text = `${this.node.label} is on chain ${found}, not on ${chainId}`;
      if (!this.#wrongChain) logger?.error({ node: this.node.label, found, chainId }, text);
      this.#wrongChain = true;
      this.#circuit.trip(this.#deps.circuit.maxOpenMs);
      throw new NodeError('malformed', text);
    }
    this.#wrongChain = false;
    this.#verifiedAt = clock.now();
    return outcomes;
  }

  #noteAnswer(calls: readonly RpcCall[], outcomes: readonly RpcOutcome[]): void {
    if (this.#circuit.state !== 'closed') this.#deps.logger?.info({ node: this.node.label }, 'node is back');
    this.#circuit.succeed();
    const head = headIn(calls, outcomes);
    if (head !== undefined) {
      this.#noteHead(head);
      this.#deps.onHead?.();
    }
    this.#kept.noteAnswers(calls, outcomes);
    for (const outcome of outcomes) {
      if ('error' in outcome && outcome.error.kind === 'busy') this.#leaveAlone(outcome.error);
    }
  }

  #noteHead(head: number): void {
    const at = this.#deps.clock.now();
    this.#head = head;
    this.#headAt = at;
    this.#bestThen = head;
    const age = at - this.#highest.at;
    this.#lower = head < this.#highest.head ? this.#lower + 1 : 0;
    const hasMovedBack = this.#lower >= MOVED_BACK_REPORTS && age > MOVED_BACK_MS;
    if (this.#lower > 0 && !hasMovedBack && age <= HIGHEST_FOR_MS) return;
    this.#highest = { head, at };
    this.#lower = 0;
  }

  #noteFailure(error: unknown): void {
    if (!(error instanceof NodeError)) {
      this.#circuit.leave();
      return;
    }
    this.#lastError = error;
    if (error.kind === 'busy') this.#leaveAlone(error);
    if (!FAILURES.has(error.kind) || error.details.tooLarge) {
      // It answered: even if it refuses, or answers too much, it is up.
      this.#circuit.leave();
      return;
    }
    this.#verifiedAt = -Infinity;
    if (this.#circuit.fail()) this.#deps.logger?.warn({ node: this.node.label, err: error }, 'node is down');
  }

  #leaveAlone(error: NodeError): void {
    this.#lastError = error;
    const wish = Math.min(error.details.retryAfterMs ?? BUSY_MS, MAX_BUSY_MS);
    this.#busyUntil = Math.max(this.#busyUntil, this.#deps.clock.now() + wish);
  }
}
