/** For tests: the hash and time of every block of the dev chain. */
import { CHAIN } from '@hindsight/devchain/world.ts';
import { createJsonRpcNode } from '../../src/rpc/json-rpc.ts';
import { resultOf } from '../../src/rpc/node.ts';

interface Header {
  readonly hash: string;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** All blocks of the dev chain, by number. */
export type Headers = ReadonlyMap<number, Header>;

/** Reads all headers from a node that is right. */
export async function readAllHeaders(url: string): Promise<Headers> {
  const node = createJsonRpcNode({ url, timeoutMs: 60_000 });
  const heights = Array.from({ length: CHAIN.head - CHAIN.genesis + 1 }, (_, i) => CHAIN.genesis + i);
  const outcomes = await node.send(
    heights.map((height) => ({
      method: 'eth_getBlockByNumber',
      params: [`0x${height.toString(16)}`, false],
    })),
  );
  await node.close();
  return new Map(
    heights.map((height, i) => {
      const { hash, timestamp } = resultOf(outcomes[i]) as { hash: string; timestamp: string };
      return [height, { hash, timestamp: Number(timestamp) }];
    }),
  );
}
