import type { Bus } from '@hindsight/bus/port.ts';
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import { ofEachNetwork, type ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import { acceptBoundedJson } from '@hindsight/http/json-bodies.ts';
import { createHttpServer } from '@hindsight/http/server.ts';
import { addServedNetworks } from '@hindsight/http/served-networks.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { WalkSettings } from '@hindsight/indexing/walk.ts';
import { once } from '@hindsight/kernel/once.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { OrderAdmission } from './admission.ts';
import { createBusPublisher } from './adapters/bus-publisher.ts';
import { createContractSignatures, type OrderNetwork } from './adapters/contract-signatures.ts';
import { openOrderStores, type OrderStoreSettings } from './adapters/open-stores.ts';
import { REACTORS } from './domain/reactors.ts';
import type { RecoverSigner } from './domain/signature.ts';
import { Intake } from './intake.ts';
import { createVerifyPendingJob } from './jobs/verify-pending.ts';
import { OrderRelay } from './jobs/relay.ts';
import { createRetentionJob } from './jobs/retention.ts';
import { measureOrders } from './metrics.ts';
import type { OrderChain } from './routes/chains.ts';
import { addDexWebhook, dexWebhook } from './routes/dex-webhook.ts';
import { addGetOrder, getOrder } from './routes/get-order.ts';
import { addListOrders, listOrders, type Readable } from './routes/list-orders.ts';
import { addOrdersStream, KEEP_ALIVE_MS, ordersStream } from './routes/orders-stream.ts';
import { PublishedFeed } from './published-feed.ts';
import { watchOrders } from './watch-orders.ts';

export { ORDER_SETTINGS } from './settings.ts';

/** The public routes, as documented. */
export const ORDERS_API = [dexWebhook, ordersStream, getOrder, listOrders] as const;

/**
 * Call it after the store was restored from a backup. The store does not know the sequences published since,
 * and a new order must not get one of them. As many are skipped as there were milliseconds since 1970: the same backup
 * may have been restored before. A sequence has up to fifteen digits, enough for some 500 restores, each of a backup
 * made after the one before. @returns the number of sequences skipped
 */
export async function skipSequences(
  store: OrderStoreSettings,
  deps: Pick<Platform, 'clock' | 'ids' | 'lifecycle'>,
): Promise<number> {
  const { outbox } = await openOrderStores(store, deps);
  const skipped = deps.clock.now();
  await outbox.skip(skipped);
  return skipped;
}

export interface OrdersDeps extends Platform {
  readonly store: OrderStoreSettings;
  readonly bus: Pick<Bus, 'publish' | 'publishDeadLetter'>;
  readonly busCheck: ReadinessCheck;
  /** The networks that orders are accepted for; their nodes know swappers' code, and verify signatures of contracts. */
  readonly networks: readonly OrderNetwork[];
  /** Chains by the names in paths; by default those of the networks. */
  readonly chains?: ReadonlyMap<string, OrderChain>;
  readonly keepDays?: number;
  /** Readers of orders; every project by default. */
  readonly readable?: Readable;
  readonly maxInFlight?: number;
  /** Milliseconds after which an answer would be too late for the sender. */
  readonly inTimeMs?: number;
  /** Milliseconds that a contract wallet may take while the sender waits; by default its part of the 200 ms. */
  readonly contractBudgetMs?: number | undefined;
  /** Settings of the search for the ends of orders, if not the usual ones. */
  readonly walk?: Partial<WalkSettings>;
  /** Milliseconds of silence after which a stream sends a sign of life. */
  readonly keepAliveMs?: number;
  /** Milliseconds between looks for what other instances have stored or published. */
  readonly lookEveryMs?: number;
}

/** Days from its receipt that an order is kept at least. */
const KEEP_DAYS = 30;
/** An order has about ten fields. 64 KiB of nested arrays or of short names would take the parser milliseconds. */
const MAX_VALUES = 1_000;
const MAX_IN_FLIGHT = 128;
const LOOK_EVERY_MS = 250;

/** The service, not yet listening, and its own part of `/readyz`: the search for the ends of each network's orders. */
export interface OrdersService {
  readonly app: HttpServer;
  readonly checks: readonly ReadinessCheck[];
}

/** Loads the recovery of signers. It takes 50 ms, for which the first order waits unless it was loaded before. */
export async function loadRecovery(): Promise<RecoverSigner> {
  return (await import('./adapters/recover-signer.ts')).recoverSigner;
}

/** Creates the orders service: signed orders in, exactly one event for each valid order out. */
export async function createOrders(deps: OrdersDeps): Promise<OrdersService> {
  const {
    logger,
    clock,
    ids,
    lifecycle,
    networks,
    telemetry = createTelemetry('orders'),
    chains = new Map(networks.map(({ network }) => [network.name, network])),
    lookEveryMs = LOOK_EVERY_MS,
  } = deps;
  const stores = await openOrderStores(deps.store, { ids, lifecycle });
  const onStored = (): void => relay.job.nudge();
  const watched = networks.filter(({ network }) => network.chainId in REACTORS);
  const ends = watched.map((one) => ({
    network: one.network,
    ...watchOrders(one, { ...deps, telemetry, stores, onEnded: onStored, settings: deps.walk }),
  }));
  const checks = ofEachNetwork('ends of orders', ends);
  const app = createHttpServer({
    logger,
    ids,
    lifecycle,
    checks: [stores.check, deps.busCheck, ...checks],
    observed: deps.telemetry && { service: 'orders', telemetry },
  });
  app.removeContentTypeParser('text/plain');
  acceptBoundedJson(app, { maxValues: MAX_VALUES, expected: 'an order' });
  const metrics = measureOrders(app, { outbox: stores.outbox, clock, telemetry });
  const publisher = createBusPublisher(deps.bus);
  const contracts = createContractSignatures(networks, clock);
  const recovery = once(loadRecovery);
  const feed = new PublishedFeed(stores.published, lookEveryMs);
  const relay = new OrderRelay({
    outbox: stores.outbox,
    publisher,
    clock,
    logger,
    relayId: ids.next(),
    lookEveryMs,
    onPublished: (orders) => {
      metrics.published(orders);
      feed.job.nudge();
    },
  });
  const verifyPending = createVerifyPendingJob({
    stores,
    contracts,
    recovery,
    chainIds: networks.map(({ network }) => network.chainId),
    publisher,
    clock,
    logger,
    onVerified: () => relay.job.nudge(),
    onDeadLettered: metrics.deadLettered,
    lookEveryMs,
  });
  const keepMs = (deps.keepDays ?? KEEP_DAYS) * DAY_MS;
  const retention = createRetentionJob({ orders: stores.orders, clock, logger, keepMs });
  relay.job.start();
  // The outbox keeps what a late pass has not published.
  lifecycle.onStop('relay of orders', () => relay.stop(), Infinity);
  for (const job of [verifyPending, retention, feed.job]) job.startIn(lifecycle);
  const { contractBudgetMs } = deps;
  const intake = new Intake({
    stores,
    contracts,
    recovery,
    clock,
    logger,
    onStored,
    contractBudgetMs,
  });
  const admission = new OrderAdmission(deps.maxInFlight ?? MAX_IN_FLIGHT, deps.inTimeMs);
  addDexWebhook(app, { chains, intake, admission });
  addServedNetworks(app, () =>
    [...chains.values()].map((chain) => ({ ...chain, available: { orders: chain.chainId in REACTORS } })),
  );
  const reading = { chains, orders: stores.orders, readable: deps.readable ?? 'any' } as const;
  addGetOrder(app, reading);
  addListOrders(app, reading);
  addOrdersStream(app, { ...reading, feed, keepAliveMs: deps.keepAliveMs ?? KEEP_ALIVE_MS });
  return { app, checks };
}
