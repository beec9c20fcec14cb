/**
 * Finds the first block in which transfers of ether make logs (EIP-7708). No header says so itself; where a network has
 * EIP-7928 by the same fork, it gives headers a field. The fork's time need not be known.
 */
import type { Network } from '../networks.ts';
import { parseHash } from '../rpc/hex.ts';
import type { EthereumNode } from '../rpc/node.ts';
import { orMalformed } from '../rpc/node-error.ts';
import type { Block } from '../state/block.ts';
import type { KnownBlocks } from '../state/known-blocks.ts';
import { askAgain } from './ask-again.ts';
import { NotVouched, readVouched } from './vouched-logs.ts';

interface EtherLogsDeps {
  readonly node: EthereumNode;
  readonly network: Pick<Network, 'etherLogsShownBy'>;
  readonly known: Pick<KnownBlocks, 'isFinalized'>;
}

/** The beginning of ether's logs, on one network. */
export class EtherLogs {
  readonly #node: EthereumNode;
  readonly #known: EtherLogsDeps['known'];
  /** The highest block that is known to be without them, and the lowest with them; both for good. */
  #without = -1;
  #with = Infinity;

  constructor({ node, network, known }: EtherLogsDeps) {
    this.#node = node;
    if (network.etherLogsShownBy === undefined) this.#without = Infinity;
    this.#known = known;
  }

  /**
   * The first block of a range in which transfers of ether make logs; undefined where they do in none.
   * @param to the last block of the range: headers of nodes that lack it, or have another in its place, do not count
   * @throws {NodeError}
   */
  async firstIn(from: number, to: Block, signal?: AbortSignal): Promise<number | undefined> {
    if (!(await this.#hasLogs(to.number, to, signal))) return undefined;
    if (await this.#hasLogs(from, to, signal)) return from;
    let [low, high] = [from, to.number];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (await this.#hasLogs(middle, to, signal)) high = middle;
      else low = middle;
    }
    return high;
  }

  async #hasLogs(height: number, to: Block, signal: AbortSignal | undefined): Promise<boolean> {
    if (height <= this.#without) return false;
    if (height >= this.#with) return true;
    const node = this.#node;
    const { block, answer } = await askAgain({ deadline: Infinity, signal }, async () => {
      const { first, last } = await readVouched(node, [], { from: height, to: to.number }, { signal });
      if (last.block.hash !== to.hash) throw new NotVouched(`${node.label} has another block ${to.number}`);
      return first;
    });
    const isThere = hasAccessLists(node.label, answer);
    if (this.#known.isFinalized(block)) this.#learn(block, isThere);
    return isThere;
  }

  #learn({ number }: Block, isThere: boolean): void {
    if (isThere) this.#with = Math.min(this.#with, number);
    else this.#without = Math.max(this.#without, number);
  }
}

/** A node may give fields of later forks to all headers, as null. @throws {NodeError} if it is neither that nor a hash */
function hasAccessLists(label: string, header: unknown): boolean {
  const { blockAccessListHash: hash } = header as { readonly blockAccessListHash?: unknown };
  if (hash === undefined || hash === null) return false;
  orMalformed(`${label} returned a malformed hash of access lists`, () => parseHash(hash));
  return true;
}
