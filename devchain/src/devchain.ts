/** The dev chain: a private Ethereum node with the same history every time. */
import { startAnvil } from './anvil.ts';
import type { Head } from './seed.ts';
import { CHAIN } from './world.ts';

export interface Devchain {
  /** URL of its JSON-RPC. */
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
  /** Plays the plan once anvil listens at the URL. Default: on this thread. */
  seed?: (starting: Promise<string>) => Promise<Head>;
}

/**
 * Resolves when the chain is complete, hash for hash as in world.ts. Rejects if anvil is missing or does not
 * come up, or if the chain came out differently. Ends with this process, however that ends.
 */
export async function startDevchain(options: DevchainOptions = {}): Promise<Devchain> {
  const { port = 0, host = '127.0.0.1', log = () => undefined, seed = seedHere } = options;
  const begun = performance.now();
  const starting = startAnvil({ host, port, log, first: CHAIN.genesis, time: CHAIN.genesisTime });
  const seeding = seed(starting.then(({ url }) => url));
  // It rejects too if anvil does not start; that error is thrown first.
  void seeding.catch(() => undefined);
  const anvil = await starting;
  try {
    const head = await seeding;
    log(`block ${head.number} after ${Math.round(performance.now() - begun)} ms`);
    return { url: anvil.url, pid: anvil.pid, head, stop: anvil.stop };
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}

/** Loads the plan only where it is played. */
async function seedHere(starting: Promise<string>): Promise<Head> {
  const { seedAnvil } = await import('./seed-anvil.ts');
  return seedAnvil(starting);
}
