/** A node of a chain as long as mainnet's, in which every account has as many wei as the height, times a thousand. */
import { NAME_CODE } from '../../src/ens/name-program.ts';
import { hashOf, startHeaderServer, type HeaderServer } from './header-server.ts';
import { mainnetTimes } from './mainnet-times.ts';

/** A running node. */
export interface LongChain extends HeaderServer {
  /** Unix seconds of each block. */
  readonly times: Uint32Array;
}

/** What every account has at a height. */
export function weiAt(height: number): number {
  return 1_000 * height;
}

/** Starts the node on loopback. @param named where every ENS name points: 0x and 40 hex digits */
export async function startLongChain(length: number, named: string): Promise<LongChain> {
  const times = mainnetTimes(length);
  /** The multicall's answer is described in multicall.ts. */
  const call = (method: string, params: readonly unknown[]): unknown => {
    if (method === 'eth_chainId') return '0x1';
    if (method === 'eth_getCode') return '0x';
    if (isNameProgram(method, params)) return `0x${named.slice(2).padStart(64, '0')}`;
    const height = heightOf(params[1]);
    if (method === 'eth_getBalance') return `0x${weiAt(height).toString(16)}`;
    const block = word(height) + word(times[height]!) + hashOf(height - 1).slice(2);
    return `0x${block}01${'00'.repeat(8)}${word(weiAt(height))}`;
  };
  const server = await startHeaderServer({ times, finalized: length - 64, call });
  return { ...server, times };
}

/** A program other than the multicall resolves a name. */
function isNameProgram(method: string, params: readonly unknown[]): boolean {
  return method === 'eth_call' && (params[0] as { data: string }).data.startsWith(NAME_CODE);
}

function heightOf(block: unknown): number {
  return Number(
    typeof block === 'string' ? block : `0x${(block as { blockHash: string }).blockHash.slice(3)}`,
  );
}

function word(value: number): string {
  return value.toString(16).padStart(64, '0');
}
