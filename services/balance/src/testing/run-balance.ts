import { ETH_MAINNET } from '@hindsight/shared/chain/networks.ts';
import { openNode } from '@hindsight/shared/chain/open-node.ts';
import { systemClock } from '@hindsight/shared/clock.ts';
import { listen } from '@hindsight/shared/http/server.ts';
import { randomIds } from '@hindsight/shared/ids.ts';
import { createLifecycle } from '@hindsight/shared/lifecycle.ts';
import { createLogger } from '@hindsight/shared/logger.ts';
import { createBalance } from '../service.ts';

/** The balance service, listening, on a node. */
export interface RunningBalance {
  readonly url: string;
  ask(path: string): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }>;
  stop(): Promise<void>;
}

interface RunOptions {
  /** Milliseconds that the nodes have for one question; so many by default that only what hangs takes longer. */
  readonly timeoutMs?: number;
  /** Milliseconds for an answer, by default as many. */
  readonly deadlineMs?: number;
  readonly memoryBytes?: number;
}

const PATIENT_MS = 60_000;

/** Starts the service on loopback as its main.ts does. @param nodes URLs in order of preference */
export async function runBalance(
  nodes: string | readonly string[],
  { timeoutMs = PATIENT_MS, ...limits }: RunOptions = {},
): Promise<RunningBalance> {
  const logger = createLogger({ name: 'balance', level: 'silent' });
  const lifecycle = createLifecycle(logger);
  const node = openNode({ urls: [nodes].flat(), timeoutMs }, ETH_MAINNET, { logger, lifecycle });
  const platform = { logger, clock: systemClock, ids: randomIds, lifecycle };
  const app = createBalance({ node, network: ETH_MAINNET, deadlineMs: PATIENT_MS, ...limits, ...platform });
  const url = await listen(app, lifecycle, 'balance', { host: '127.0.0.1', port: 0 });
  return {
    url,
    async ask(path) {
      const response = await fetch(url + path);
      return { status: response.status, headers: response.headers, body: (await response.json()) as never };
    },
    stop: async () => void (await lifecycle.shutdown('test')),
  };
}
