/** A node of a chain as long as mainnet's, in which every account has as many wei as the height, times a thousand. */
import { hashOf, startHeaderServer, type HeaderServer } from './header-server.ts';
import { mainnetTimes } from './mainnet-times.ts';
import { NOT_TAKEN, readProgramCall } from './program-calls.ts';

/** A running node. */
export interface LongChain extends HeaderServer {
  /** Unix seconds of each block. */
  readonly times: Uint32Array;
}

/** Wei of every account at a height. */
export function weiAt(height: number): number {
  return 1_000 * height;
}

/** Starts the node on loopback. @param named address of every ENS name: 0x and 40 hex digits */
export async function startLongChain(length: number, named: string): Promise<LongChain> {
  const times = mainnetTimes(length);
  const call = (method: string, params: readonly unknown[]): object => {
    if (method === 'eth_chainId') return { result: '0x1' };
    if (method === 'eth_getCode') return { result: '0x' };
    const number = heightOf(params[1], length);
    if (method === 'eth_getBalance') return { result: `0x${weiAt(number).toString(16)}` };
    const asked = readProgramCall(params);
    if (asked === undefined) return NOT_TAKEN;
    const body =
      asked.name === 'name'
        ? named.slice(2).padStart(64, '0')
        : asked.items.map(({ gas }) => `01${'00'.repeat(8)}${gas === 0 ? word(weiAt(number)) : ''}`).join('');
    return asked.answer({ number, timestamp: times[number]!, parentHash: hashOf(number - 1) }, body);
  };
  const server = await startHeaderServer({ times, finalized: length - 64, call });
  return { ...server, times };
}

function heightOf(block: unknown, length: number): number {
  if (block === 'latest') return length - 1;
  return Number(
    typeof block === 'string' ? block : `0x${(block as { blockHash: string }).blockHash.slice(3)}`,
  );
}

function word(value: number): string {
  return value.toString(16).padStart(64, '0');
}
