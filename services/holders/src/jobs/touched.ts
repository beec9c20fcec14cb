/** The holders that the events of a range touch. */
import { dataToBytes } from '@hindsight/chain/rpc/hex.ts';
import { ETHER_LOGS, transferredIds } from '@hindsight/chain/tokens/token-events.ts';
import type { LogBlock, LogReduction, RawLog } from '@hindsight/indexing/range-reading.ts';
import { BATCH, HOLDER_EVENTS, holdersIn, SINGLE } from '../domain/holder-events.ts';
import type { Point } from '../domain/points.ts';
import { ALL_TOKENS, type Track } from '../domain/tracks.ts';

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const TOPIC = /^0x[0-9a-f]{64}$/;

/** Reduces events to the holders that they name; of one token's events, or of all. */
export function touchedBy(track: Track): LogReduction<readonly Point[]> {
  return {
    topics: HOLDER_EVENTS,
    ...(track === ALL_TOKENS ? {} : { address: track }),
    start() {
      const found: Point[] = [];
      const seen = new SeenInBlock();
      const take = (log: RawLog, block: LogBlock): void => {
        for (const point of pointsOf(log, block.number)) if (seen.isNew(point)) found.push(point);
      };
      return { found, take };
    },
    join: (first, second) => [...first, ...second],
  };
}

/** Points of the last block, so that each is kept once. */
class SeenInBlock {
  readonly #keys = new Set<string>();
  #block = -1;

  isNew({ token, holder, id, block }: Point): boolean {
    if (block !== this.#block) this.#keys.clear();
    this.#block = block;
    const before = this.#keys.size;
    this.#keys.add(id === null ? token + holder : `${token}${holder}${id}`);
    return this.#keys.size > before;
  }
}

/** @throws {TypeError} where a log is malformed; an event that names no account is any contract's right */
function* pointsOf({ address, topics, data }: RawLog, block: number): Generator<Point> {
  if (typeof address !== 'string' || !ADDRESS.test(address)) throw new TypeError('a log without an address');
  const token = address.toLowerCase();
  // Ether's transfers are no token's.
  if (token === ETHER_LOGS) return;
  if (!topics.every((topic): topic is string => typeof topic === 'string' && TOPIC.test(topic)))
    throw new TypeError('a log with a malformed topic');
  const log = { topics, data: dataToBytes(data) };
  const [event] = topics;
  const holders = holdersIn(log);
  const ids = event === SINGLE || event === BATCH ? transferredIds(log) : [null];
  for (const id of ids) for (const holder of holders) yield { token, holder, id, block };
}
