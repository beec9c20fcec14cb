import type { EventBus } from '@hindsight/shared/bus/port.ts';
import type { Network } from '@hindsight/shared/chain/networks.ts';
import type { EthereumNode } from '@hindsight/shared/chain/rpc/node.ts';
import { ChainReader } from '@hindsight/shared/chain/state/reader.ts';
import type { Clock } from '@hindsight/shared/clock.ts';
import type { ReadinessCheck } from '@hindsight/shared/readiness.ts';
import { createHttpServer } from '@hindsight/shared/http/server.ts';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import type { Ids } from '@hindsight/shared/ids.ts';
import type { Lifecycle } from '@hindsight/shared/lifecycle.ts';
import type { Logger } from '@hindsight/shared/logger.ts';
import { createTelemetry, type Telemetry } from '@hindsight/shared/telemetry.ts';
import { Admission } from './admission.ts';
import { createBusPublisher } from './adapters/bus-publisher.ts';
import { createContractSignatures } from './adapters/contract-signatures.ts';
import { openOrderStores, type OrderStoreSettings } from './adapters/open-stores.ts';
import { recoverSigner } from './adapters/recover-signer.ts';
import { Intake } from './intake.ts';
import { createProveJob } from './jobs/prove.ts';
import { Relay } from './jobs/relay.ts';
import { createRetentionJob } from './jobs/retention.ts';
import { measureOrders } from './metrics.ts';
import { servedChain, type OrderChain } from './routes/chains.ts';
import { addDexWebhook, dexWebhook } from './routes/dex-webhook.ts';

export { ORDER_SETTINGS } from './settings.ts';

/** The public routes, as they are documented. */
export const ORDERS_API = [dexWebhook] as const;

/** What the service stands on. */
export interface OrdersDeps {
  readonly store: OrderStoreSettings;
  readonly bus: EventBus;
  readonly busCheck: ReadinessCheck;
  /** The network that orders are taken for. */
  readonly network: Network;
  /** The network's node. Asked about contract wallets only; not needed for anything else. */
  readonly node: EthereumNode;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly lifecycle: Lifecycle;
  readonly telemetry?: Telemetry | undefined;
  /** Chains by the names in paths; the network's own when not given. */
  readonly chains?: ReadonlyMap<string, OrderChain>;
  /** Days that an order is kept at least. */
  readonly keepDays?: number;
  /** Orders that are taken on at a time. */
  readonly mostInFlight?: number;
  /** Milliseconds after which an order's answer would come too late for its sender. */
  readonly inTimeMs?: number;
  /** Milliseconds that a contract wallet may take to answer while the sender waits; those of the sender's 200 ms by default. */
  readonly contractBudgetMs?: number | undefined;
}

const DAY_MS = 86_400_000;
const KEEP_DAYS = 30;
const MOST_IN_FLIGHT = 128;

/** Creates the orders service: signed orders in, each an event exactly once it is known right. Not yet listening. */
export async function createOrders(deps: OrdersDeps): Promise<HttpServer> {
  const {
    logger,
    clock,
    ids,
    lifecycle,
    network,
    telemetry = createTelemetry('orders'),
    chains = servedChain(network),
  } = deps;
  const stores = await openOrderStores(deps.store, { ids, lifecycle });
  const app = createHttpServer({
    logger,
    ids,
    lifecycle,
    checks: [stores.check, deps.busCheck],
    observed: deps.telemetry && { service: 'orders', telemetry },
  });
  app.removeContentTypeParser('text/plain');
  const metrics = measureOrders(app, stores.outbox, telemetry);
  const publisher = createBusPublisher(deps.bus);
  const contracts = createContractSignatures(new ChainReader({ node: deps.node, network, clock }), network);
  const relay = new Relay({
    ...{ outbox: stores.outbox, publisher, clock, logger, relayId: ids.next() },
    onPublished: metrics.published,
  });
  const prove = createProveJob({
    ...{ stores, contracts, publisher, clock, logger },
    onProven: () => relay.nudge(),
    onBuried: metrics.buried,
  });
  const keepMs = (deps.keepDays ?? KEEP_DAYS) * DAY_MS;
  const retention = createRetentionJob({ orders: stores.orders, clock, logger, keepMs });
  for (const [name, job] of Object.entries({ relay, prove, retention })) {
    job.start();
    lifecycle.onStop(`orders: ${name}`, () => job.stop());
  }
  const onStored = (): void => relay.nudge();
  const { contractBudgetMs } = deps;
  const intake = new Intake({
    ...{ stores, contracts, recover: recoverSigner, clock, logger, onStored, contractBudgetMs },
  });
  const admission = new Admission(deps.mostInFlight ?? MOST_IN_FLIGHT, deps.inTimeMs);
  addDexWebhook(app, { chains, intake, admission });
  return app;
}
