/** The dev chain: a private Ethereum node with the same history every time. */
import { startAnvil } from './anvil.ts';
import { anvilNode } from './anvil-node.ts';
import { buildPlan } from './plan.ts';
import { OrderedRpc } from './rpc.ts';
import { type Head, seed } from './seed.ts';
import { CHAIN } from './world.ts';

export interface Devchain {
  /** Where its JSON-RPC is. */
  url: string;
  pid: number;
  /** The last block of the plan. */
  head: Head;
  /** Ends it; resolves when the process is gone. */
  stop: () => Promise<void>;
}

export interface DevchainOptions {
  /** Default 0: a free one. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** Receives progress messages. */
  log?: (line: string) => void;
}

/**
 * Resolves when the chain stands, hash for hash as world.ts says. Rejects if anvil is missing or does not
 * come up, or if the chain came out differently. Ends with this process, however that ends.
 */
export async function startDevchain(options: DevchainOptions = {}): Promise<Devchain> {
  const { port = 0, host = '127.0.0.1', log = () => undefined } = options;
  const begun = performance.now();
  const starting = startAnvil({ host, port, log });
  // In the time that anvil takes to start.
  const plan = buildPlan();
  const anvil = await starting;
  const rpc = new OrderedRpc(anvil.url);
  try {
    const head = await seed(anvilNode(rpc), plan);
    if (head.hash !== CHAIN.headHash) {
      throw new Error(
        `the dev chain came out as ${head.hash} at block ${head.number}, not as ${CHAIN.headHash}`,
      );
    }
    log(`block ${head.number} after ${Math.round(performance.now() - begun)} ms`);
    return { url: anvil.url, pid: anvil.pid, head, stop: anvil.stop };
  } catch (error) {
    await anvil.stop();
    throw error;
  } finally {
    await rpc.close();
  }
}
