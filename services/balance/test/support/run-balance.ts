import { ETH_MAINNET, type Network } from '@hindsight/chain/networks.ts';
import { openNode } from '@hindsight/chain/pool/open-node.ts';
import { systemClock, type Clock } from '@hindsight/kernel/clock.ts';
import { listen } from '@hindsight/http/server.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openRedis } from '@hindsight/stores/redis.ts';
import type { Feed } from '../../src/feeds.ts';
import { createBalance, type BalanceDeps } from '../../src/service.ts';

/** The balance service, listening, on a node. */
export interface RunningBalance {
  readonly url: string;
  /** Sends a GET, or a POST where there is a body. */
  ask(
    path: string,
    body?: unknown,
  ): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }>;
  stop(): Promise<void>;
}

/** Limits and surroundings of the service; each has a default. */
export interface RunOptions {
  /** Milliseconds that the nodes have for one question; the default is exceeded only by what hangs. */
  readonly timeoutMs?: number;
  /** Milliseconds for what the nodes are asked at the start; the default is exceeded only by what hangs. */
  readonly probeMs?: number;
  /** Milliseconds for an answer; as long by default. */
  readonly deadlineMs?: number;
  readonly feeds?: readonly Feed[];
  readonly memoryBytes?: number;
  readonly bodyBytes?: number;
  readonly windowBytes?: number;
  readonly takenWithinMs?: number;
  /** Logs are searched when not given. */
  readonly holdersOf?: NonNullable<BalanceDeps['holdersOf']>;
  /** Milliseconds for an answer of the holders service; the default is exceeded only by what hangs. */
  readonly holdersWithinMs?: number;
  /** Milliseconds for a node's answer with logs; the default is exceeded only by what hangs. */
  readonly logsWithinMs?: number;
  /** Keeps answers in this process when not given. */
  readonly redisUrl?: string;
  /** The machine's when not given. */
  readonly clock?: Clock;
}

const GENEROUS_MS = 60_000;

/** Starts the service on loopback as its main.ts does. @param nodes URLs in order of preference */
export async function runBalance(
  nodes: string | readonly string[],
  options: RunOptions = {},
): Promise<RunningBalance> {
  return runNetworks([{ network: ETH_MAINNET, urls: [nodes].flat() }], options);
}

/** Starts the service for several networks. @param networks each with its own nodes, at least one */
export async function runNetworks(
  networks: readonly { readonly network: Network; readonly urls: readonly string[] }[],
  {
    timeoutMs = GENEROUS_MS,
    probeMs = GENEROUS_MS,
    redisUrl,
    clock = systemClock,
    ...limits
  }: RunOptions = {},
): Promise<RunningBalance> {
  const logger = createLogger({ name: 'balance', level: 'silent' });
  const lifecycle = createLifecycle(logger);
  const served = await Promise.all(
    networks.map(async ({ network, urls }) => {
      return { network, node: await openNode({ urls, timeoutMs, probeMs }, network, { logger, lifecycle }) };
    }),
  );
  const settings = { url: redisUrl ?? '', answerWithinMs: GENEROUS_MS };
  const redis = redisUrl === undefined ? undefined : await openRedis(settings, lifecycle, logger);
  const app = createBalance({
    networks: served,
    redis,
    deadlineMs: GENEROUS_MS,
    holdersWithinMs: GENEROUS_MS,
    logsWithinMs: GENEROUS_MS,
    ...limits,
    logger,
    clock,
    ids: randomIds,
    lifecycle,
  });
  const url = await listen(app, lifecycle, 'balance', { host: '127.0.0.1', port: 0 });
  return {
    url,
    async ask(path, body) {
      const headers = { 'content-type': 'application/json' };
      const sent = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await fetch(url + path, sent);
      return { status: response.status, headers: response.headers, body: (await response.json()) as never };
    },
    stop: async () => void (await lifecycle.shutdown('test')),
  };
}
