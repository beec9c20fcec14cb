import { RangeSizer } from '@hindsight/chain/logs/range-sizer.ts';
import { askHeader } from '@hindsight/chain/state/block.ts';
import { createFinalizedLogs } from '@hindsight/indexing/finalized-logs.ts';
import { describeProgress } from '@hindsight/indexing/progress.ts';
import { Walk, WALK_DEFAULTS, type WalkSettings } from '@hindsight/indexing/walk.ts';
import { WalkReporter } from '@hindsight/indexing/walk-reporter.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import type { OrderNetwork } from './adapters/contract-signatures.ts';
import { createNodeFills } from './adapters/node-fills.ts';
import { createNodeNonces } from './adapters/node-nonces.ts';
import { orderLogs } from './adapters/walked-logs.ts';
import { Endings } from './jobs/endings.ts';
import { HeadFills } from './jobs/head-fills.ts';
import type { OrderStores } from './ports.ts';

interface WatchDeps extends Platform {
  readonly telemetry: Telemetry;
  readonly stores: Pick<OrderStores, 'orders' | 'watch'>;
  readonly onEnded: () => void;
  readonly settings?: Partial<WalkSettings> | undefined;
}

/** The search begins at the last finalized block of its time, and at no fixed one. */
const NO_BLOCK = Number.MAX_SAFE_INTEGER;

/**
 * Searches for the ends of a network's orders until the process stops: one instance at a time, the others stand by.
 * @returns for `/readyz`: where the search is, and since when
 */
export function watchOrders(
  { network, node }: OrderNetwork,
  { telemetry, stores, onEnded, clock, ids, lifecycle, ...deps }: WatchDeps,
): Pick<ReadinessCheck, 'check'> {
  const logger = deps.logger.child({ network: network.name });
  const settings = { ...WALK_DEFAULTS, fromBlock: NO_BLOCK, ...deps.settings };
  const meter = telemetry.meter('hindsight.orders');
  const watch = stores.watch(network.name);
  const logs = createFinalizedLogs(node, orderLogs(network.chainId), settings.logsTimeoutMs);
  const measured = { meter, network: network.name, logger, clock };
  const reporter = new WalkReporter({ ...measured, kind: 'order', prefix: 'hindsight_orders' });
  const ended = meter.createCounter('hindsight_orders_ended', {
    description: 'Orders that ended, by status',
  });
  const age = meter.createObservableGauge('hindsight.orders.watch.age', {
    unit: 's',
    description:
      'Since the search for the ends of orders last had a new finalized block; since the start, if it has had none',
  });
  const startedAt = clock.now();
  age.addCallback(async (result) => {
    const position = await watch.position().catch(() => undefined);
    if (position === undefined) return;
    // A search that never begins stands still as well.
    const since = position?.movedAt ?? startedAt;
    result.observe(Math.max(0, clock.now() - since) / 1000, { 'hindsight.network': network.name });
  });
  const head = new HeadFills({
    watch,
    orders: stores.orders,
    blocks: { ...logs, head: (signal) => askHeader(node, 'latest', { signal }) },
    sizer: new RangeSizer(
      { first: settings.firstBlocks, max: settings.maxBlocks, events: settings.events },
      clock,
    ),
    clock,
  });
  const index = new Endings({
    watch,
    orders: stores.orders,
    logs,
    head,
    nonces: createNodeNonces({ node, network }, clock),
    fills: createNodeFills(node),
    reporter,
    clock,
    logger,
    onEnded(status) {
      ended.add(1, { status, 'hindsight.network': network.name });
      onEnded();
    },
  });
  const holder = ids.next();
  const walk = new Walk({ index, leased: watch, logs, clock, logger, reporter, holder, settings });
  walk.start();
  // The next start goes on where the search has come to.
  lifecycle.onStop(`orders: their ends on ${network.name}`, () => walk.stop(), Infinity);
  return {
    async check() {
      const position = await watch.position();
      const since =
        position === null
          ? ''
          : `at block ${position.number} since ${new Date(position.movedAt).toISOString()}; `;
      return `${since}${describeProgress(position?.number ?? null, reporter.status)}`;
    },
  };
}
