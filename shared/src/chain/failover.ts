/**
 * Several nodes as one: asked in order of preference, those that are behind or on trial last; what one cannot answer,
 * the next is asked. A batch is answered by one node, never by a mixture, unless its calls are said to be independent.
 */
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { EthereumNode, RpcCall, RpcOptions, RpcOutcome } from './node.ts';
import { NodeError } from './node-error.ts';
import type { CircuitLimits } from './pool/circuit.ts';
import type { GateLimits } from './pool/gate.ts';
import { HeadPoll, type PollLimits } from './pool/head-poll.ts';
import { hedged } from './pool/hedge.ts';
import { Member, type NodeHealth } from './pool/member.ts';
import { RetryBudget, type RetryLimits } from './pool/retry-budget.ts';
import { Round } from './pool/round.ts';

/** Bounds of a failover; times in milliseconds. */
export interface FailoverLimits {
  /** For all attempts at a question together, where the caller gives no time. */
  readonly timeoutMs: number;
  /** Blocks that a node may be behind the best. */
  readonly mostLag: number;
  /** The second node is asked as well when the first has not answered after this long; never when not given. */
  readonly hedgeAfterMs?: number;
  readonly circuit: CircuitLimits;
  /** For each node. */
  readonly gate: GateLimits;
  readonly retry: RetryLimits;
  readonly poll: PollLimits;
}

const DEFAULTS: FailoverLimits = {
  timeoutMs: 5_000,
  mostLag: 3,
  circuit: { failures: 5, openMs: 500, maxOpenMs: 5_000 },
  gate: { concurrency: 64, queue: 1_024 },
  retry: { reserve: 100, perQuestion: 0.2 },
  poll: { everyMs: 4_000, idleMs: 60_000 },
};

/** Nothing but spans of time is measured by it: nobody may be left alone for an hour because the machine's clock is set back. */
const STEADY: Clock = { now: () => performance.now() };

interface FailoverOptions {
  /** In order of preference. */
  readonly nodes: readonly EthereumNode[];
  /** A node on another chain is never believed. */
  readonly chainId: number;
  /** Told when a node goes down, comes back, or is on another chain. */
  readonly logger?: Logger;
  readonly limits?: Partial<FailoverLimits>;
}

/** Several nodes as one. */
export interface Failover extends EthereumNode {
  /** How each node is doing, in order of preference. */
  health(): readonly NodeHealth[];
}

/**
 * Joins nodes; also worth it for one, which is then watched, spared and bounded like any of several.
 *
 * `send` throws a NodeError: `busy` or `unreachable`, with `retryAfterMs`, when no node may be asked now; else what the
 * last node that failed came to. It ends within `timeoutMs`, which is for all attempts together.
 */
export function createFailover(options: FailoverOptions): Failover {
  const limits = { ...DEFAULTS, ...options.limits };
  const { chainId, logger } = options;
  const { circuit, gate } = limits;
  const members = options.nodes.map(
    (node) => new Member(node, { chainId, clock: STEADY, logger, circuit, gate }),
  );
  return new NodePool(members, limits);
}

class NodePool implements Failover {
  readonly label: string;
  readonly #members: readonly Member[];
  readonly #limits: FailoverLimits;
  readonly #budget: RetryBudget;
  readonly #poll: HeadPoll | undefined;

  constructor(members: readonly Member[], limits: FailoverLimits) {
    this.label = members.map(({ node }) => node.label).join(', ');
    this.#members = members;
    this.#limits = limits;
    this.#budget = new RetryBudget(limits.retry);
    this.#poll = members.length > 1 ? new HeadPoll(members, limits.poll) : undefined;
  }

  async send(calls: readonly RpcCall[], options: RpcOptions = {}): Promise<readonly RpcOutcome[]> {
    const { signal, timeoutMs = this.#limits.timeoutMs, independent = false } = options;
    signal?.throwIfAborted();
    const queue = this.#candidates();
    if (queue.length === 0) throw this.#unavailable();
    this.#budget.earn();
    this.#poll?.touch();
    const everybody = queue.length === this.#members.length;
    const oldestHead = (): number => this.#bestHead() - this.#limits.mostLag;
    const deadline = performance.now() + timeoutMs;
    const round = new Round({ calls, independent, queue, deadline, budget: this.#budget, oldestHead });
    const { hedgeAfterMs } = this.#limits;
    const answer =
      hedgeAfterMs === undefined || queue.length < 2
        ? await round.walk(signal)
        : await hedge(round, hedgeAfterMs, signal);
    return answer ?? round.settle(this.label, this.#bestHead(), everybody ? undefined : this.#unavailable());
  }

  health(): readonly NodeHealth[] {
    const bestHead = this.#bestHead();
    return this.#members.map((member) => member.health(bestHead, this.#limits.mostLag));
  }

  async close(): Promise<void> {
    this.#poll?.stop();
    await Promise.all(this.#members.map(({ node }) => node.close()));
  }

  /** Who may be asked now, the most promising first. */
  #candidates(): Member[] {
    const oldestHead = this.#bestHead() - this.#limits.mostLag;
    const penalty = (member: Member): number => {
      if (member.isOnTrial) return 2;
      return member.head !== undefined && member.head < oldestHead ? 1 : 0;
    };
    const available = this.#members.filter((member) => member.isAvailable);
    return available.length < 2 ? available : available.sort((one, other) => penalty(one) - penalty(other));
  }

  /** The highest head that any node of the right chain has told of lately. */
  #bestHead(): number {
    return this.#members.reduce((best, { highestHead }) => Math.max(best, highestHead), -1);
  }

  #unavailable(): NodeError {
    const away = this.#members.filter((member) => !member.isAvailable);
    const wrong = away.find((member) => member.isOnWrongChain)?.lastError;
    if (wrong && away.length === this.#members.length && away.every((member) => member.isOnWrongChain))
      return wrong;
    const retryAfterMs = Math.max(1_000, Math.min(...away.map((member) => member.waitMs)));
    const reasons = away.map(({ node, isSpared, lastError }) =>
      isSpared && lastError ? lastError.message : `${node.label} has too much to do`,
    );
    const kind = away.every(({ isDown }) => isDown) ? 'unreachable' : 'busy';
    return new NodeError(kind, `no Ethereum node may be asked now: ${reasons.join('; ')}`, { retryAfterMs });
  }
}

async function hedge(
  round: Round,
  afterMs: number,
  signal: AbortSignal | undefined,
): Promise<readonly RpcOutcome[] | undefined> {
  const loser = new AbortController();
  const either = signal ? AbortSignal.any([signal, loser.signal]) : loser.signal;
  try {
    return await hedged(() => round.walk(either), afterMs);
  } finally {
    loser.abort(new Error('another node was faster'));
  }
}
