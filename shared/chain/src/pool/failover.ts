/**
 * Several nodes as one, in order of preference, those that are behind or on trial last; if one cannot answer,
 * the next is tried. One node answers a batch, never a mixture, unless its calls are marked independent.
 */
import type { Clock } from '@hindsight/kernel/clock.ts';
import { RetryBudget } from '@hindsight/kernel/retry-budget.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import type { EthereumNode, RpcCall, RpcOptions, RpcOutcome } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import { HeadPoll } from './head-poll.ts';
import type { Question } from './kept-blocks.ts';
import { Member, type NodeHealth, type PoolNode } from './member.ts';
import type { ProgramRoom } from '../rpc/program.ts';
import { askInTurn } from './attempt.ts';

/** Bounds of a failover; times in milliseconds. */
const DEFAULTS = {
  /** For all attempts at a question together, unless the caller sets a timeout. */
  timeoutMs: 5_000,
  /** Blocks that a node may be behind the best. */
  maxLag: 3,
  circuit: { failures: 5, openMs: 500, maxOpenMs: 5_000 },
  /** For each node. */
  bulkhead: { concurrency: 64, queue: 1_024 },
  retry: { reserve: 100, perQuestion: 0.2 },
  poll: { everyMs: 4_000, idleMs: 60_000 },
};
export type FailoverLimits = Readonly<typeof DEFAULTS>;

/** Monotonic: circuit timers must not jump when the wall clock is adjusted. */
const STEADY: Clock = { now: () => performance.now() };

interface FailoverDeps {
  /** In order of preference. */
  readonly nodes: readonly PoolNode[];
  /** A node on another chain is never believed. */
  readonly chainId: number;
  /** Gets a line when a node goes down, comes back, or is on another chain. */
  readonly logger?: Logger;
  readonly limits?: Partial<FailoverLimits>;
}

/** A single node benefits too: it is watched, given time to recover and bounded like one of several. */
export class Failover implements EthereumNode {
  readonly label: string;
  readonly #members: readonly Member[];
  readonly #limits: FailoverLimits;
  readonly #budget: RetryBudget;
  readonly #poll: HeadPoll | undefined;

  constructor({ nodes, chainId, logger, limits }: FailoverDeps) {
    this.#limits = { ...DEFAULTS, ...limits };
    const { circuit, bulkhead, retry, poll } = this.#limits;
    const onHead = (): void => {
      const best = this.#bestHead();
      for (const member of this.#members) member.noteBest(best);
    };
    const deps = { chainId, clock: STEADY, logger, circuit, bulkhead, onHead };
    this.label = nodes.map(({ label }) => label).join(', ');
    this.#members = nodes.map((node) => new Member(node, deps));
    this.#budget = new RetryBudget(retry);
    this.#poll = nodes.length > 1 ? new HeadPoll(this.#members, poll) : undefined;
  }

  /**
   * Ends within `timeoutMs`, which is for all attempts together.
   * @throws {NodeError} `busy` or `unreachable`, with `retryAfterMs`, when no node may be used now; else the error of the last
   * node that failed
   */
  async send(calls: readonly RpcCall[], options: RpcOptions = {}): Promise<readonly RpcOutcome[]> {
    const { signal, timeoutMs = this.#limits.timeoutMs, maxBytes, independent = false } = options;
    signal?.throwIfAborted();
    const queue = this.#candidates({ calls, independent });
    if (queue.length === 0) throw this.#unavailable();
    this.#budget.earn();
    this.#poll?.touch();
    const allAvailable = queue.length === this.#members.length;
    return askInTurn({
      label: this.label,
      calls,
      independent,
      queue,
      deadline: performance.now() + timeoutMs,
      maxBytes,
      signal,
      budget: this.#budget,
      bestHead: () => this.#bestHead(),
      maxLag: this.#limits.maxLag,
      unasked: () => (allAvailable ? undefined : this.#unavailable()),
    });
  }

  /** The room at the first node; one with less refuses programs that are too large for it. */
  room(time?: number): ProgramRoom | undefined {
    for (const { node } of this.#candidates()) {
      const room = node.room?.(time);
      if (room) return room;
    }
    return undefined;
  }

  /** State of each node, in order of preference. */
  health(): readonly NodeHealth[] {
    return this.#members.map((member) => member.health(this.#limits.maxLag));
  }

  /** Asks each node which past blocks it keeps, unless that was done recently. Never fails. */
  async learn({ timeoutMs }: { readonly timeoutMs: number }): Promise<void> {
    const options = { timeoutMs, signal: undefined };
    await Promise.all(
      this.#members.map(async (member) => {
        await member.learn(options);
        await member.proveFirst(options);
      }),
    );
  }

  async close(): Promise<void> {
    this.#poll?.stop();
    await Promise.all(this.#members.map(({ node }) => node.close()));
  }

  /** The nodes that may be used now, the most promising first. */
  #candidates(question?: Question): Member[] {
    const penalty = (member: Member): number => {
      if (member.isOnTrial) return 3;
      if (question && member.lacks(question)) return 2;
      return (member.lag ?? 0) > this.#limits.maxLag ? 1 : 0;
    };
    const available = this.#members.filter((member) => member.isAvailable);
    return available.length < 2 ? available : available.sort((one, other) => penalty(one) - penalty(other));
  }

  /** The highest head that any node of the right chain has reported recently. */
  #bestHead(): number {
    return this.#members.reduce((best, { highestHead }) => Math.max(best, highestHead), -1);
  }

  #unavailable(): NodeError {
    const unavailable = this.#members.filter((member) => !member.isAvailable);
    const wrong = unavailable.filter((member) => member.isOnWrongChain);
    if (wrong.length === this.#members.length && wrong[0]?.lastError) return wrong[0].lastError;
    const retryAfterMs = Math.max(1_000, Math.min(...unavailable.map((member) => member.waitMs)));
    const reasons = unavailable.map(({ node, isSpared, lastError }) =>
      isSpared && lastError ? lastError.message : `${node.label} has too much to do`,
    );
    const kind = unavailable.every(({ isDown }) => isDown) ? 'unreachable' : 'busy';
    return new NodeError(kind, `no Ethereum node may be asked now: ${reasons.join('; ')}`, { retryAfterMs });
  }
}
