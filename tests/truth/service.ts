/** The balance service in this process, on one node, called over HTTP. */
import { createBalance } from '@hindsight/balance/service.ts';
import type { NetworkNodes } from '@hindsight/chain/networks-file.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import type { NodeHealth } from '@hindsight/chain/pool/member.ts';
import { openNodes } from '@hindsight/chain/pool/open-node.ts';
import { systemClock, type Clock } from '@hindsight/kernel/clock.ts';
import { listen } from '@hindsight/http/server.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { noteRoutes } from './asked.ts';

const NODE_TIMEOUT_MS = 60_000;
/** Long enough on a busy machine: a search gets a part of it, and answers with a part of the list when that is over. */
const DEADLINE_MS = 180_000;
/** Longer than any answer takes. */
export const ANSWER_WITHIN_MS = DEADLINE_MS + 60_000;

/** The operator's table of feeds. */
export type Feeds = NonNullable<Parameters<typeof createBalance>[0]['feeds']>;

/** A running service. */
export interface Service {
  readonly url: string;
  /** The routes that have answered. */
  readonly asked: ReadonlySet<string>;
  /** State of its nodes, as far as known. */
  nodes(): readonly NodeHealth[];
  stop(): Promise<void>;
}

/** Starts it on one network. */
export function startService(
  nodeUrls: string | readonly string[],
  network: Network,
  clock: Clock = systemClock,
): Promise<Service> {
  return startServices([{ network, urls: [nodeUrls].flat() }], clock);
}

/**
 * Starts it on loopback as its main.ts does, with more time than in production: this tests truth, not speed.
 */
export async function startServices(
  networks: readonly NetworkNodes[],
  clock: Clock = systemClock,
  feeds: Feeds = [],
): Promise<Service> {
  const logger = createLogger({ name: 'balance', level: 'silent' });
  const lifecycle = createLifecycle(logger);
  const opened = await openNodes(networks, { timeoutMs: NODE_TIMEOUT_MS }, { logger, lifecycle });
  const platform = { logger, clock, ids: randomIds, lifecycle };
  const app = createBalance({ networks: opened, deadlineMs: DEADLINE_MS, feeds, ...platform });
  const asked = noteRoutes(app);
  const url = await listen(app, lifecycle, 'balance', { host: '127.0.0.1', port: 0 });
  return {
    url,
    asked,
    nodes: () => opened.flatMap(({ node }) => node.health()),
    stop: async () => void (await lifecycle.shutdown('asked for')),
  };
}
