import type { Devchain } from '@hindsight/devchain/devchain.ts';

type Log = (line: string) => void;

/** A dev chain that was begun before there was a log. */
export class BegunChain {
  readonly chain: Promise<Devchain>;
  /** Settles when the chain needs nothing of this thread until it is there. */
  readonly underWay: Promise<void>;
  #lines: string[] = [];
  #log: Log = (line) => void this.#lines.push(line);

  constructor() {
    const begun = Promise.withResolvers<void>();
    this.chain = start((line) => this.#log(line), begun.resolve);
    this.underWay = Promise.race([begun.promise, this.chain.then(undefined, () => undefined)]).then(
      () => undefined,
    );
  }

  /** Gives its messages to a log, those of before too. */
  logTo(log: Log): void {
    for (const line of this.#lines) log(line);
    [this.#lines, this.#log] = [[], log];
  }

  /** Ends it, as soon as it is there. */
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
