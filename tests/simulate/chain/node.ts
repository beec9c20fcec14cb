/** A model of a node behind one URL, which lags, splits requests, breaks off or forgets blocks, and never lies. */
import { fromRpcError, NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { EthereumNode, RpcCall, RpcOptions, RpcOutcome } from '@hindsight/chain/rpc/node.ts';
import { Process, type Machine } from '../machine/machine.ts';
import type { Network, Server } from '../machine/network.ts';
import type { Plant } from '../plants.ts';
import { FIRST, type Chain, type ChainBlock } from './blocks.ts';
import { answerTo, type View } from './rpc.ts';

interface Deps {
  readonly machine: Machine;
  readonly network: Network;
  readonly chain: Chain;
  readonly plant: Plant | undefined;
}

const ANSWER_MS = 5_000;
/** Milliseconds until a node has a new block. */
const HEARD_AFTER_MS = 700;
/** Share of requests whose calls are carried out one after another, while time passes. */
const SLOW_SHARE = 0.05;
const SLOW_CALL_MS = 300;
/** Blocks by which one of two nodes behind a URL is behind: no more than `LAST_BLOCKS` of the log search allow. */
const MOST_BEHIND = 3;

export class ChainNode {
  readonly server: Server;
  /** It takes no new blocks. */
  isStuck = false;
  /** Each call of a request may be answered by another node, some blocks behind. */
  splits = false;
  /** Share of answers that break off. */
  breaks = 0;
  readonly #deps: Deps;
  readonly #view: View & { readonly canonical: ChainBlock[]; readonly known: Map<string, ChainBlock> };
  #head: ChainBlock;

  constructor(name: string, deps: Deps) {
    const { machine, chain, plant } = deps;
    this.#deps = deps;
    this.server = {
      process: new Process(name),
      unavailable: (why) => new NodeError('unreachable', `${name}: ${why}`),
    };
    this.#view = {
      canonical: [],
      known: new Map(),
      height: 0,
      beyond: machine.random.pick(['part', 'error'] as const),
      stateOf: (block) => plant?.stateOf?.(block, machine.random) ?? block,
      logsOf: (logs) => plant?.logs?.(logs, machine.random) ?? logs,
    };
    this.#head = chain.tip;
    this.#take(chain.tip);
  }

  /** Tells it that the chain has a new tip; it takes it a little later. */
  hear(): void {
    const { machine, chain } = this.#deps;
    const take = (): void => {
      if (!this.isStuck) this.#take(chain.tip);
    };
    machine.after(machine.random.about(HEARD_AFTER_MS), take, this.server.process);
  }

  /** Ends its faults. */
  heal(): void {
    Object.assign(this, { isStuck: false, splits: false, breaks: 0 });
    this.hear();
  }

  /** The node for a process, over the network. */
  connect(): EthereumNode {
    const { network } = this.#deps;
    const { process } = this.server;
    return {
      label: process.name,
      send: (calls, options = {}) =>
        within(process.name, options, () => network.call(this.server, () => this.#answer(calls))),
      close: async () => undefined,
    };
  }

  async #answer(calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]> {
    const { machine } = this.#deps;
    const { random } = machine;
    const label = this.server.process.name;
    const isSlow = random.chance(SLOW_SHARE);
    const outcomes: RpcOutcome[] = [];
    for (const call of calls) {
      if (isSlow) await machine.wait(random.about(SLOW_CALL_MS));
      const behind = this.splits && random.chance(0.5) ? random.below(MOST_BEHIND + 1) : 0;
      const height = this.#head.number - behind;
      this.#view.canonical[height - FIRST]!.headUntil = machine.now;
      const answer = answerTo(call, {
        ...this.#view,
        height,
        beyond: behind > 0 ? 'error' : this.#view.beyond,
      });
      outcomes.push('error' in answer ? { error: fromRpcError(label, answer.error) } : answer);
    }
    if (random.chance(this.breaks))
      throw new NodeError('malformed', `${label} answered something that is not JSON`);
    return outcomes;
  }

  /** Makes a block its head; those of another branch are no longer canonical to it. */
  #take(head: ChainBlock): void {
    const { now } = this.#deps.machine;
    const { canonical, known } = this.#view;
    leaveHead(this.#head, now);
    head.headNodes++;
    this.#head = head;
    for (const block of canonical.splice(head.number - FIRST + 1)) leave(block, now);
    for (let at: ChainBlock | undefined = head; at && canonical[at.number - FIRST] !== at; at = at.parent) {
      const other = canonical[at.number - FIRST];
      if (other !== undefined) leave(other, now);
      canonical[at.number - FIRST] = at;
      at.canonicalNodes++;
      known.set(at.hash, at);
    }
  }
}

function leaveHead(block: ChainBlock, now: number): void {
  if (block.headNodes > 0) block.headNodes--;
  block.headUntil = now;
}

function leave(block: ChainBlock, now: number): void {
  block.canonicalNodes--;
  block.canonicalUntil = now;
}

/** Waits for an answer no longer than its caller does. */
function within<T>(
  label: string,
  { signal, timeoutMs = ANSWER_MS }: RpcOptions,
  ask: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new NodeError('timeout', `${label} did not answer`)), timeoutMs);
    const leave = (): void => reject(signal!.reason as Error);
    signal?.addEventListener('abort', leave, { once: true });
    void ask()
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(late);
        signal?.removeEventListener('abort', leave);
      });
  });
}
