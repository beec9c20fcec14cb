import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';
import { whenParams, type When } from '../when.ts';

/** A block, by number, hash and time. */
export type Block = components['schemas']['Block'];

/** A block's height, date or hash. */
export interface BlockQuestion extends When {
  readonly signal?: AbortSignal | undefined;
}

/** The block of a height, a date or a hash; the latest by default. @throws {NotFound} if there is none */
export function blockAt(transport: Transport, when: BlockQuestion = {}): Promise<Block> {
  return transport.json<Block>({
    path: `/v1/${transport.network}/block`,
    query: { ...whenParams(when) },
    signal: when.signal,
  });
}
