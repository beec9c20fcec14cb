import type { Devchain } from '@hindsight/devchain/devchain.ts';

type Log = (line: string) => void;

/** A dev chain that starts before the process has a logger. */
export class BegunChain {
  readonly chain: Promise<Devchain>;
  /** Resolves once the chain no longer needs this thread, or has failed. */
  readonly underWay: Promise<void>;
  #lines: string[] = [];
  #log: Log = (line) => void this.#lines.push(line);

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.underWay = promise;
    this.chain = start((line) => this.#log(line), resolve);
    // Those who await the chain get the error.
    void this.chain.catch(() => resolve());
  }

  /** Sends its messages to a log, earlier ones first. */
  logTo(log: Log): void {
    for (const line of this.#lines) log(line);
    [this.#lines, this.#log] = [[], log];
  }

  async stop(): Promise<void> {
    const chain = await this.chain.catch(() => undefined);
    await chain?.stop();
  }
}

async function start(log: Log, onBegin: () => void): Promise<Devchain> {
  // The image does not hold it.
  const parts = Promise.all([
    import('@hindsight/devchain/devchain.ts'),
    import('@hindsight/devchain/seed-thread.ts'),
  ]);
  const [{ startDevchain }, { seedOnThread }] = await parts.catch((cause: unknown) => {
    throw new Error('the dev chain is not installed here: set ETH_RPC_URL to an Ethereum node', { cause });
  });
  return startDevchain({ log, seed: (starting) => seedOnThread(starting, onBegin) });
}
