import { dataToBytes, parseHash } from '@hindsight/chain/rpc/hex.ts';
import type { LogReduction } from '@hindsight/indexing/range-reading.ts';
import { PERMIT2 } from '@hindsight/chain/tokens/permit2.ts';
import { ORDER_TOPICS, readOrderLog, type OrderLog } from '../domain/order-logs.ts';
import { isReactor } from '../domain/reactors.ts';

/** The events of a walk: of reactors and of Permit2, because anyone may emit them, and name any swapper. */
export function orderLogs(chainId: number): LogReduction<readonly OrderLog[]> {
  return {
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
          if (log !== undefined && isGenuine(chainId, log)) found.push(log);
        },
      };
    },
    join: (first, second) => [...first, ...second],
  };
}

function isGenuine(chainId: number, { kind, address }: OrderLog): boolean {
  return kind === 'fill' ? isReactor(chainId, address) : address === PERMIT2.toLowerCase();
}
