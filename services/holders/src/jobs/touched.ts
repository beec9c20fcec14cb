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
  readonly #seen = new Set<string>();
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
    if (block !== this.#block) this.#seen.clear();
    this.#block = block;
    const [event = ''] = topics;
    // Most events are such: their data need not be read.
    if (event === TOPICS.transfer && topics.length >= 3) {
      for (const holder of holdersIn({ topics, data: NO_DATA }))
        this.#addPoint({ token, holder, id: null, block });
      return;
    }
    const log = { address: token, topics, data: dataToBytes(data) };
    const approval = approvalIn(log);
    if (approval !== undefined) return this.#addApproval({ ...approval, block });
    const holders = holdersIn(log);
    const ids = event === TOPICS.single || event === TOPICS.batch ? transferredIds(log) : [null];
    for (const id of ids) for (const holder of holders) this.#addPoint({ token, holder, id, block });
  }

  #addPoint(point: Point): void {
    const { token, holder, id } = point;
    if (this.#isNew(id === null ? token + holder : `${token}${holder}${id}`)) this.points.push(point);
  }

  #addApproval(approval: Approval): void {
    const { token, owner, spender, kind } = approval;
    if (this.#isNew(`${token}${owner}${spender}${kind}`)) this.approvals.push(approval);
  }

  #isNew(key: string): boolean {
    const before = this.#seen.size;
    this.#seen.add(key);
    return this.#seen.size > before;
  }
}

const NO_DATA = Buffer.alloc(0);
