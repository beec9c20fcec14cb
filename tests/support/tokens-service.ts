/** The tokens service in this process, on a store and a node of the test's choice. */
import { Failover } from '@hindsight/chain/pool/failover.ts';
import { carriedJsonRpc } from '@hindsight/chain/test/support/carried-json-rpc.ts';
import { ETH_MAINNET, type Network } from '@hindsight/chain/networks.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { createTokens, openTokenIndex, startIndexing } from '@hindsight/tokens/service.ts';
import { setTimeout as sleep } from 'node:timers/promises';

type Index = Awaited<ReturnType<typeof openTokenIndex>>;
type Settings = NonNullable<Parameters<typeof startIndexing>[0]['settings']>;

/** A running service. */
export interface TokensService {
  readonly app: HttpServer;
  readonly index: Index;
  /** Resolves when the index has reached a block; rejects after a while. */
  reach(block: number, timeoutMs?: number): Promise<void>;
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

/** Store and nodes of the service. */
export interface TokensServiceOptions {
  readonly dataDir: string;
  readonly mongodbUrl?: string | undefined;
  /** Nodes to index from, in order of preference; none: it only serves. */
  readonly nodes?: readonly string[];
  readonly settings?: Settings;
  /** Ethereum's mainnet by default. */
  readonly network?: Network;
  /** The first block that the network is answered from. */
  readonly firstBlock?: number;
  readonly publicUrl?: string;
  readonly nodeTimeoutMs?: number;
}

/** Fast enough for a test. */
const QUICK: Settings = { pollMs: 50, maxPauseMs: 200, leaseMs: 2_000 };

/** Starts it; requests are injected. */
export async function startTokens(options: TokensServiceOptions): Promise<TokensService> {
  const logger = createLogger({ name: 'tokens', level: 'silent' });
  const lifecycle = createLifecycle(logger);
  const telemetry = createTelemetry();
  const platform = { logger, clock: systemClock, ids: randomIds, lifecycle, telemetry };
  const { dataDir, mongodbUrl, publicUrl } = options;
  const network = { ...(options.network ?? ETH_MAINNET), firstBlock: options.firstBlock ?? 0 };
  const index = await openTokenIndex(network, { dataDir, mongodbUrl }, lifecycle);
  if (options.nodes !== undefined) {
    const nodes = options.nodes.map((url) =>
      carriedJsonRpc({ url, timeoutMs: options.nodeTimeoutMs ?? 5_000 }, network),
    );
    const limits = { timeoutMs: options.nodeTimeoutMs ?? 5_000 };
    const node = new Failover({ nodes, chainId: network.chainId, limits });
    lifecycle.onStop('node', () => node.close());
    startIndexing({ ...platform, index, network, node, settings: { ...QUICK, ...options.settings } });
  }
  const app = createTokens({ lists: [{ network, list: index }], publicUrl, ...platform });
  return {
    app,
    index,
    reach: (block, timeoutMs = 600_000) => reach(index, block, timeoutMs),
    metrics: () => telemetry.metricsText(),
    stop: async () => {
      await app.close();
      await lifecycle.shutdown('the test is over');
      await telemetry.stop();
    },
  };
}

async function reach(index: Index, block: number, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const checkpoint = await index.checkpoint();
    if (checkpoint !== null && checkpoint.number >= block) return;
    if (Date.now() > deadline) {
      const { status } = (await index.lease()) ?? {};
      throw new Error(`the index is at ${checkpoint?.number}, not at ${block}: ${JSON.stringify(status)}`);
    }
    await sleep(20);
  }
}
