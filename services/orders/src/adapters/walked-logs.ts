import { dataToBytes, parseHash } from '@hindsight/chain/rpc/hex.ts';
import type { LogReduction } from '@hindsight/indexing/range-reading.ts';
import { ORDER_TOPICS, readOrderLog, type OrderLog } from '../domain/order-logs.ts';

/** The events of a walk: of any contract, whose address is judged afterwards. */
export const ORDER_LOGS: LogReduction<readonly OrderLog[]> = {
  topics: Object.values(ORDER_TOPICS),
  start() {
    const found: OrderLog[] = [];
    return {
      found,
      take({ address, topics, data, transactionHash }, { number, hash }) {
        const log = readOrderLog({
          address: String(address).toLowerCase(),
          topics: topics.map(parseHash),
          data: `0x${dataToBytes(data).toString('hex')}`,
          block: number,
          blockHash: hash,
          transaction: parseHash(transactionHash),
        });
        if (log !== undefined) found.push(log);
      },
    };
  },
  join: (first, second) => [...first, ...second],
};
