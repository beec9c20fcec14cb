/** The holders service on indexes of its own, as in `const world = forAllTests(HolderWorld.onDevchain, 'close');`. */
import { ETH_MAINNET, type Network } from '@hindsight/chain/networks.ts';
import { openNode } from '@hindsight/chain/pool/open-node.ts';
import { CHAIN } from '@hindsight/devchain/world.ts';
import { ALL_TOKENS, createHolders, openHolderIndex, type HolderIndex } from '@hindsight/holders/service.ts';
import { connectService } from '@hindsight/http/http-service.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger, type Logger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBalance, type RunningBalance } from '../../../services/balance/test/support/run-balance.ts';

/** Options of one service. */
export interface HolderOptions {
  /** Mainnet by default. */
  readonly network?: Network;
  /** The run's dev chain by default. */
  readonly nodeUrl?: string;
  /** The world's by default. */
  readonly balanceUrl?: string;
  readonly tracks?: readonly string[];
  readonly from?: number;
  /** The first block that the network is answered from. */
  readonly firstBlock?: number;
  readonly lazily?: boolean;
  /** The hash of the last block of an index that is there already. */
  readonly indexedHash?: string;
  /** Of an index that may be there already. */
  readonly dataDir?: string;
  readonly log?: Logger;
  /** Makes the index that the service keeps: one that loses points, say. */
  readonly keep?: (index: HolderIndex) => HolderIndex;
  readonly checksPerMinute?: number;
  /** The URL of ClickHouse, which keeps the index then; else DuckDB does. */
  readonly clickhouseUrl?: string;
}

/** Starts services beside a balance service on the run's dev chain, and ends all of them. */
export class HolderWorld {
  /** Sees the path of each question to the balance service, which is asked once it returns. */
  spy: (path: string) => unknown = () => undefined;
  /** The dev chain's. */
  readonly nodeUrl: string;
  readonly balance: RunningBalance;
  readonly #logger = createLogger({ name: 'holders', level: 'silent' });
  readonly #opened = new Map<HttpServer, Lifecycle>();
  readonly #folders: string[] = [];

  private constructor(nodeUrl: string, balance: RunningBalance) {
    this.nodeUrl = nodeUrl;
    this.balance = balance;
  }

  static async onDevchain(this: void): Promise<HolderWorld> {
    const { url } = await sharedDevchain(process.env);
    return new HolderWorld(url, await runBalance(url));
  }

  freshFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'holders-'));
    this.#folders.push(folder);
    return folder;
  }

  /** The service on a fresh index. */
  async start(options: HolderOptions = {}): Promise<HttpServer> {
    const {
      network = ETH_MAINNET,
      tracks = [ALL_TOKENS],
      from = CHAIN.genesis,
      lazily = true,
      log: logger = this.#logger,
      keep = (kept) => kept,
      checksPerMinute = 0,
    } = options;
    const { nodeUrl = this.nodeUrl, balanceUrl = this.balance.url, dataDir = this.freshFolder() } = options;
    const { indexedHash: hash, clickhouseUrl } = options;
    const lifecycle = createLifecycle(logger);
    const bounds = { memoryMb: 128, threads: 1 };
    const api = connectService('balance', balanceUrl);
    const index = await openHolderIndex(network, { dataDir, clickhouseUrl, bounds }, lifecycle);
    if (hash !== undefined)
      await index.append(ALL_TOKENS, null, { from, to: from + 100, hash, points: [], approvals: [] });
    lifecycle.onStop('balance', () => api.close());
    const app = createHolders({
      index: keep(index),
      tracks,
      network: { ...network, firstBlock: options.firstBlock ?? 0 },
      node: await openNode({ urls: [nodeUrl], timeoutMs: 60_000 }, network, { logger, lifecycle }),
      balance: {
        ask: async (request) => {
          await this.spy(request.path);
          return api.ask(request);
        },
      },
      logger,
      lifecycle,
      clock: systemClock,
      ids: randomIds,
      telemetry: createTelemetry('holders'),
      settings: { fromBlock: from, pollMs: 50 },
      lazily,
      checksPerMinute,
      firstMs: 60_000,
      deadlineMs: 60_000,
    });
    this.#opened.set(app, lifecycle);
    return app;
  }

  /** Ends the service that was started last. */
  async endLast(): Promise<void> {
    const last = [...this.#opened.keys()].at(-1);
    if (last !== undefined) await this.#end(last);
  }

  /** Ends all services but one. */
  async endAllBut(kept: HttpServer): Promise<void> {
    for (const app of [...this.#opened.keys()]) if (app !== kept) await this.#end(app);
  }

  async close(): Promise<void> {
    for (const app of [...this.#opened.keys()]) await this.#end(app);
    for (const folder of this.#folders) rmSync(folder, { recursive: true });
    await this.balance.stop();
  }

  async #end(app: HttpServer): Promise<void> {
    const lifecycle = this.#opened.get(app);
    this.#opened.delete(app);
    await lifecycle?.shutdown('the end of the test');
  }
}
