/** Admission and counting: the spool on disk, the leases, and the job that sends. */
import type { Platform } from '@hindsight/kernel/platform.ts';
import type { EventBus } from '@hindsight/bus/port.ts';
import type { MonthCounters } from '@hindsight/usage/counters/ports.ts';
import type { QuotaLedger } from '@hindsight/usage/ports.ts';
import { openSpool } from './spool/open-spool.ts';
import { UsageSender } from './send-usage.ts';
import { LeasedQuota } from '../limits/quota/leased-quota.ts';

interface Deps extends Platform {
  readonly ledger: QuotaLedger;
  readonly counters: Pick<MonthCounters, 'takenAtHand'>;
  readonly bus: Pick<EventBus, 'publish'>;
  readonly dataDir: string;
  readonly spoolBytes: number;
}

/** Opens them as a new producer; they end with the lifecycle, leases first. */
export async function openMetered(deps: Deps) {
  const { spoolBytes: maxBytes, logger, ids, lifecycle, telemetry } = deps;
  const producer = ids.next();
  const spool = await openSpool({ ...deps, maxBytes, producer });
  const sender = new UsageSender({ ...deps, spool });
  sender.start();
  // Usage that is not sent stays on disk for the next start.
  lifecycle.onStop('usage sender', () => sender.stop(), Infinity);
  const meter = telemetry?.meter('hindsight.gateway');
  const failures = meter?.createCounter('hindsight.usage.ledger.failures', {
    description: 'Times that units could not be leased: the ledger was unavailable',
  });
  // From the start, so that the first failure is an increase.
  failures?.add(0);
  const onFailure = (err: unknown): void => {
    failures?.add(1);
    logger.warn({ err }, 'the ledger of units is unavailable');
  };
  const quota = new LeasedQuota({ ...deps, producer, onFailure });
  lifecycle.onStop('units by lease', () => quota.close());
  meter
    ?.createObservableGauge('hindsight.usage.spool.size', {
      unit: 'By',
      description: 'Usage on disk that may not be on the bus yet',
    })
    .addCallback((gauge) => gauge.observe(spool.waitingBytes()));
  return { quota, spool: spool.writer };
}
