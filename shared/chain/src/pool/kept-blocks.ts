/**
 * The past blocks of which a node has data, by its report (eth_capabilities, execution-apis#755) and by its
 * answers. Either only affects the order of nodes: a node that is wrong about itself costs a request, never
 * an answer.
 */
import type { Clock } from '@hindsight/kernel/clock.ts';
import { quantityToNumber, readQuantity } from '../rpc/hex.ts';
import type { RpcCall, RpcOutcome } from '../rpc/node.ts';
import { READ_METHODS, type Resource } from './read-methods.ts';

/** The oldest block of each that a node has; Infinity if it has none. Absent if it has not reported that. */
export type OldestBlocks = Readonly<Partial<Record<Resource, number>>>;

/** The calls to send. */
export interface Question {
  readonly calls: readonly RpcCall[];
  /** True if the answer to one call is of use without the others. */
  readonly independent: boolean;
}

interface Kept {
  readonly oldest: number;
  /** Number of blocks up to the head that are kept; Infinity if none are dropped. */
  readonly window: number;
}

const RESOURCES: readonly Resource[] = ['state', 'logs', 'stateproofs'];
/** The block after genesis: the state of genesis itself is kept by many nodes that have dropped all after it. */
export const OLD_BLOCK = 1;
/** A node that once lacked a block may have received it since. */
const LACKED_FOR_MS = 600_000;

/** The past blocks that one node keeps. */
export class KeptBlocks {
  readonly #clock: Clock;
  #said: Readonly<Partial<Record<Resource, Kept>>> = {};
  /** The old block of which it has proven the state: it is expected to prove all later ones. */
  #provenFrom: number | undefined;
  readonly #lacked = new Map<Resource, { readonly height: number; readonly at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes the answer to eth_capabilities; ignores parts that it does not understand. */
  noteWord(answer: unknown): void {
    const fields = answer as Readonly<Record<string, unknown>> | null | undefined;
    this.#said = Object.fromEntries(
      RESOURCES.flatMap((resource) => {
        const kept = readKept(fields?.[resource]);
        return kept ? [[resource, kept]] : [];
      }),
    );
  }

  /** True if it has reported its oldest proof, or has proven the oldest of all. A first block of its own may move on. */
  get knowsProofs(): boolean {
    return this.#provenFrom === OLD_BLOCK || this.#said.stateproofs !== undefined;
  }

  /** Notes the answer to eth_getProof at an old block, for a node that does not report its oldest proof. */
  noteOldProof(outcome: RpcOutcome | undefined, height: number): void {
    if (outcome === undefined || !('result' in outcome)) return;
    const { accountProof } = (outcome.result ?? {}) as Readonly<Record<string, unknown>>;
    if (Array.isArray(accountProof) && accountProof.length > 0) this.#provenFrom = height;
  }

  noteAnswers(calls: readonly RpcCall[], outcomes: readonly RpcOutcome[]): void {
    calls.forEach((call, i) => {
      const [about, outcome] = [subjectOf(call), outcomes[i]];
      if (about === undefined || outcome === undefined) return;
      const { resource, height } = about;
      const lacked = this.#lackedUpTo(resource);
      if ('result' in outcome) {
        if (lacked !== undefined && height <= lacked) this.#lacked.delete(resource);
      } else if (outcome.error.kind === 'missing-state' && height >= (lacked ?? 0)) {
        this.#lacked.set(resource, { height, at: this.#clock.now() });
      }
    });
  }

  /**
   * True if it has dropped data that the question needs.
   * @param head the last that it has reported
   */
  lacks({ calls, independent }: Question, head: number | undefined): boolean {
    const oldest = this.oldest(head);
    const lacked = calls
      .flatMap((call) => subjectOf(call) ?? [])
      .map(({ resource, height }) => height < (oldest[resource] ?? 0));
    return independent ? lacked.length > 0 && lacked.every(Boolean) : lacked.some(Boolean);
  }

  /** @param head the last that it has reported */
  oldest(head: number | undefined): OldestBlocks {
    return Object.fromEntries(
      RESOURCES.flatMap((resource) => {
        const kept = this.#said[resource] ?? (resource === 'stateproofs' ? this.#shown : undefined);
        const lacked = this.#lackedUpTo(resource);
        if (kept === undefined && lacked === undefined) return [];
        const inWindow = head === undefined ? 0 : head - (kept?.window ?? Infinity) + 1;
        return [[resource, Math.max(kept?.oldest ?? 0, inWindow, (lacked ?? -1) + 1)]];
      }),
    );
  }

  get #shown(): Kept | undefined {
    return this.#provenFrom === undefined ? undefined : { oldest: this.#provenFrom, window: Infinity };
  }

  #lackedUpTo(resource: Resource): number | undefined {
    const lacked = this.#lacked.get(resource);
    return lacked && this.#clock.now() - lacked.at < LACKED_FOR_MS ? lacked.height : undefined;
  }
}

function readKept(answer: unknown): Kept | undefined {
  const { disabled, oldestBlock, deleteStrategy } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  if (disabled === true) return { oldest: Infinity, window: 0 };
  const { type, retentionBlocks } = (deleteStrategy ?? {}) as Readonly<Record<string, unknown>>;
  try {
    const window = type === 'window' ? quantityToNumber(retentionBlocks) : Infinity;
    // Besu reports none if it keeps everything that it ever had.
    return oldestBlock === undefined && window === Infinity
      ? undefined
      : { oldest: oldestBlock === undefined ? 0 : quantityToNumber(oldestBlock), window };
  } catch {
    return undefined;
  }
}

/** Data and height of a call that names a past block by its height. */
function subjectOf({
  method,
  params,
  height: given,
}: RpcCall): { readonly resource: Resource; readonly height: number } | undefined {
  const subject = READ_METHODS[method];
  if (subject === undefined) return undefined;
  const { resource, at } = subject;
  const block = params[at];
  const named = resource === 'logs' ? (block as { readonly fromBlock?: unknown }).fromBlock : block;
  const height = given ?? readQuantity(named);
  return height === undefined ? undefined : { resource, height };
}
