/** The holders that the events of a range touch, and the spenders that they name. */
import { dataToBytes } from '@hindsight/chain/rpc/hex.ts';
import { ETHER_LOGS, TOPICS, transferredIds } from '@hindsight/chain/tokens/token-events.ts';
import type { LogBlock, LogReduction, RawLog } from '@hindsight/indexing/range-reading.ts';
import { APPROVAL_EVENTS, approvalIn } from '../domain/approval-events.ts';
import { HOLDER_EVENTS, holdersIn } from '../domain/holder-events.ts';
import type { Approval, Point, Touched } from '../domain/points.ts';
import { ALL_TOKENS, type Track } from '../domain/tracks.ts';

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const TOPIC = /^0x[0-9a-f]{64}$/;
const DATA = /^0x(?:[0-9a-f]{2})*$/i;

/** Reduces events to the holders that they name, of one token's events, or of all; of all with the approvals. */
export function touchedBy(track: Track): LogReduction<Touched> {
  return {
    topics: track === ALL_TOKENS ? [...HOLDER_EVENTS, ...APPROVAL_EVENTS] : HOLDER_EVENTS,
    ...(track === ALL_TOKENS ? {} : { address: track }),
    start() {
      const found = new Found();
      return { found, take: (log, block) => found.take(log, block.number) };
    },
    join: (first, second) => ({
      points: [...first.points, ...second.points],
      approvals: [...first.approvals, ...second.approvals],
    }),
  };
}

/** The points and approvals of events, each once a block. */
class Found implements Touched {
  readonly points: Point[] = [];
  readonly approvals: Approval[] = [];
  /** Holders and approvals of the block, without ids. */
  readonly #seen = new Set<string>();
  /** The ids of each holder in the block: batches may fill it with a million, and a text for each would take much memory. */
  readonly #seenIds = new Map<string, Set<bigint>>();
  #block = -1;

  /** @throws {TypeError} where a log is malformed; an event that names no account is any contract's right */
  take({ address, topics, data }: RawLog, block: LogBlock['number']): void {
    if (typeof address !== 'string' || !ADDRESS.test(address))
      throw new TypeError('a log without an address');
    const token = address.toLowerCase();
    // Ether's transfers are no token's.
    if (token === ETHER_LOGS) return;
    if (!topics.every((topic): topic is string => typeof topic === 'string' && TOPIC.test(topic)))
      throw new TypeError('a log with a malformed topic');
    if (typeof data !== 'string' || !DATA.test(data)) throw new TypeError('a log with malformed data');
    if (block !== this.#block) for (const seen of [this.#seen, this.#seenIds]) seen.clear();
    this.#block = block;
    const [event = ''] = topics;
    // Most events are such: their data need not be read.
    if (event === TOPICS.transfer && topics.length >= 3)
      return this.#addHolders(token, holdersIn({ topics, data: NO_DATA }));
    const log = { address: token, topics, data: dataToBytes(data) };
    const approval = approvalIn(log);
    if (approval !== undefined) return this.#addApproval({ ...approval, block });
    const holders = holdersIn(log);
    if (event === TOPICS.single || event === TOPICS.batch)
      this.#addIds(token, holders, [...transferredIds(log)]);
    else this.#addHolders(token, holders);
  }

  #addHolders(token: string, holders: readonly string[]): void {
    const block = this.#block;
    for (const holder of holders)
      if (isNew(this.#seen, token + holder)) this.points.push({ token, holder, id: null, block });
  }

  #addIds(token: string, holders: readonly string[], ids: readonly bigint[]): void {
    const block = this.#block;
    for (const holder of holders) {
      const seen = this.#seenIds.get(token + holder) ?? new Set();
      this.#seenIds.set(token + holder, seen);
      for (const id of ids) if (isNew(seen, id)) this.points.push({ token, holder, id, block });
    }
  }

  #addApproval(approval: Approval): void {
    const { token, owner, spender, kind } = approval;
    if (isNew(this.#seen, `${token}${owner}${spender}${kind}`)) this.approvals.push(approval);
  }
}

function isNew<T>(seen: Set<T>, value: T): boolean {
  const before = seen.size;
  return seen.add(value).size > before;
}

const NO_DATA = Buffer.alloc(0);
