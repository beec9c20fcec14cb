import { createSqliteBus } from '@hindsight/bus/sqlite.ts';
import { ETH_MAINNET, type Network } from '@hindsight/chain/networks.ts';
import { openNode } from '@hindsight/chain/pool/open-node.ts';
import { listen } from '@hindsight/http/server.ts';
import { TOPICS } from '@hindsight/events/topics.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import type { DeadLetter, EventBus } from '@hindsight/bus/port.ts';
import { untilDeadLetters } from '@hindsight/bus/test/support/dead-letters.ts';
import type { OrderReceived } from '@hindsight/events/orders-received.ts';
import type { BusEvent } from '@hindsight/events/topic.ts';
import type { InjectOptions } from 'fastify';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOrderStores } from '../../src/adapters/open-stores.ts';
import type { OrderState } from '../../src/domain/order-state.ts';
import type { Settlement } from '../../src/ports.ts';
import { createOrders } from '../../src/service.ts';

/** An answer of the service. */
export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  /** The cost that it reports to the gateway. */
  readonly units: unknown;
  readonly milliseconds: number;
}

/** The orders service on the embedded stores, with a clock that the test sets. */
export interface RunningOrders {
  /** Sets the service's time, Unix milliseconds; it does not advance unless `ticking`. */
  setTime(now: number): void;
  post(path: string, body: string, headers?: Record<string, string>): Promise<Answer>;
  /** Reads with the key of a project; of the one that sends by default. */
  get(path: string, project?: string): Promise<Answer>;
  /** Writes the state of an order, by another connection to the store. */
  settle(id: string, state: OrderState): Promise<Settlement>;
  /** Listens on a free port as well; resolves to the URL. */
  listen(): Promise<string>;
  /** All events published so far, once there are at least `atLeast`, and streams have as many: the relay notes them a moment later. */
  published(atLeast: number): Promise<readonly BusEvent<string, OrderReceived>[]>;
  deadLetters(atLeast: number): Promise<readonly DeadLetter[]>;
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

const CHAINS = new Map([
  ['eth-mainnet', { name: 'eth-mainnet', chainId: 1 }],
  ['arb-mainnet', { name: 'arb-mainnet', chainId: 42161 }],
  ['base-mainnet', { name: 'base-mainnet', chainId: 8453 }],
]);

interface RunOptions {
  /** True to accept orders for chains that are not served too. */
  readonly everywhere?: boolean;
  /** The networks that are served, all by the one node; mainnet alone by default. */
  readonly networks?: readonly Network[];
  /** True if time advances from the moment set. */
  readonly ticking?: boolean;
  /** True if a contract wallet must answer as quickly as in production. */
  readonly quickWallets?: boolean;
  readonly readable?: 'any' | 'own';
}

/** Longer than any answering node of a test takes. */
const PATIENCE_MS = 60_000;
/** For tests whose node fails and gets the question again. */
const SOON_MS = 2_000;

/** Starts it. */
export async function runOrders(
  nodeUrl: string,
  {
    everywhere = true,
    ticking = false,
    quickWallets = false,
    networks = [ETH_MAINNET],
    readable,
  }: RunOptions = {},
): Promise<RunningOrders> {
  const dataDir = await mkdtemp(join(tmpdir(), 'orders-'));
  const logger = createLogger({ name: 'orders', level: 'silent' });
  const lifecycle = createLifecycle(logger);
  let now = Date.now();
  let setAt = performance.now();
  const clock = { now: () => now + (ticking ? Math.floor(performance.now() - setAt) : 0) };
  const telemetry = createTelemetry('orders');
  const bus = createSqliteBus({
    topics: TOPICS,
    logger,
    clock,
    ids: randomIds,
    path: join(dataDir, 'events.db'),
  });
  lifecycle.onStop('bus', () => bus.close());
  const deps = { logger, clock, ids: randomIds, lifecycle, telemetry };
  const timeoutMs = quickWallets ? SOON_MS : PATIENCE_MS;
  const node = await openNode({ urls: [nodeUrl], timeoutMs }, ETH_MAINNET, deps);
  const busCheck = { name: 'bus', check: async () => 'answers' };
  const chains = everywhere ? { chains: CHAINS } : {};
  // A slow answer here is the test machine's fault.
  const inTimeMs = Infinity;
  const contractBudgetMs = quickWallets ? undefined : PATIENCE_MS;
  const store = { dataDir };
  const limits = { inTimeMs, contractBudgetMs, keepAliveMs: 50 };
  const { app } = await createOrders({
    ...deps,
    bus,
    busCheck,
    networks: networks.map((network) => ({ network, node })),
    store,
    ...(readable === undefined ? {} : { readable }),
    ...limits,
    ...chains,
  });
  const seen = await listenTo(bus);
  const stores = await openOrderStores(store, { ids: randomIds, lifecycle });
  async function timed(how: InjectOptions): Promise<Answer> {
    const begun = performance.now();
    const response = await app.inject(how);
    const milliseconds = performance.now() - begun;
    return {
      status: response.statusCode,
      body: response.json<Record<string, unknown>>(),
      units: response.headers['x-hindsight-units'],
      milliseconds,
    };
  }
  return {
    setTime(time) {
      now = time;
      setAt = performance.now();
    },
    async post(path, body, headers = { 'content-type': 'application/json' }) {
      const project = { 'x-hindsight-project': 'project-1' };
      return timed({ method: 'POST', url: path, payload: body, headers: { ...headers, ...project } });
    },
    get: (path, project = 'project-1') =>
      timed({ method: 'GET', url: path, headers: { 'x-hindsight-project': project } }),
    settle: (id, state) => stores.orders.settle(id, state, clock.now()),
    listen: () => listen(app, lifecycle, 'orders', { host: '127.0.0.1', port: 0 }),
    async published(atLeast) {
      const noted = async (): Promise<number> => (await stores.published.head()).sequence;
      await until(
        `${atLeast} orders are published`,
        async () => seen.events.length >= atLeast && (await noted()) >= atLeast,
      );
      return seen.events;
    },
    deadLetters: (atLeast) => untilDeadLetters(bus, 'orders.received', atLeast),
    metrics: () => telemetry.metricsText(),
    async stop() {
      await lifecycle.shutdown('test');
      await rm(dataDir, { recursive: true });
    },
  };
}

async function listenTo(bus: EventBus) {
  const events: BusEvent<string, OrderReceived>[] = [];
  await bus.subscribe(
    { group: 'test', topics: ['orders.received'] },
    async (some) => void events.push(...some),
  );
  return { events };
}
