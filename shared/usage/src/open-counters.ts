import type { Platform } from '@hindsight/kernel/platform.ts';
import type { CountingProgress } from './counting/ports.ts';
import type { OpenUsage } from './open.ts';
import { CopiedCounters } from './counters/copied-counters.ts';
import { CounterCopying } from './counters/copying.ts';
import { ledgerCounters } from './counters/ledger-counters.ts';
import type { CountedRecords, CounterCopy, MonthCounters } from './counters/ports.ts';

type Deps = Pick<Platform, 'clock' | 'logger' | 'telemetry'>;

export interface OpenCopy {
  readonly copy: CounterCopy;
  readonly records: CountedRecords;
  readonly progress: CountingProgress;
}

interface CopyDeps extends Pick<Platform, 'logger' | 'lifecycle' | 'telemetry'> {
  /**
   * Longest wait for an answer of Redis, in milliseconds; short by default, since readers have the ledger
   * too.
   */
  readonly redisAnswersWithinMs?: number;
}

/** Opens the copy in Redis; undefined without Redis, and where the ledger is the embedded database. */
export async function openCopy(
  { records, progress }: OpenUsage,
  url: string | undefined,
  { lifecycle, logger, redisAnswersWithinMs: answerWithinMs, telemetry }: CopyDeps,
): Promise<OpenCopy | undefined> {
  if (url === undefined || records === undefined) return undefined;
  // The driver is loaded only where it is wanted.
  const { openRedis } = await import('@hindsight/stores/redis.ts');
  const { RedisCopy } = await import('./adapters/redis/copy.ts');
  const limits = answerWithinMs === undefined ? {} : { answerWithinMs };
  const settings = { url, connectionName: 'hindsight-usage', telemetry, ...limits };
  const redis = await openRedis(settings, lifecycle, logger);
  return { copy: new RedisCopy(redis), records, progress };
}

/** The counters for readers: through the copy if there is one. */
export function openCounters(
  { usage, progress }: OpenUsage,
  open: OpenCopy | undefined,
  deps: Deps,
): MonthCounters {
  if (open === undefined) return ledgerCounters(usage, deps.clock, progress);
  const refills = deps.telemetry?.meter('hindsight.usage').createCounter('hindsight.usage.counters.refills', {
    description: 'Counters of a project that were read from the ledger because Redis did not have them',
  });
  const onRefill = (records: number): void => refills?.add(records);
  return new CopiedCounters({ ...open, ...reported(deps), clock: deps.clock, onRefill });
}

/** Copying, in the process that counts; not started yet. It ends with the lifecycle. */
export function openPublisher(
  open: OpenCopy | undefined,
  deps: Deps & Pick<Platform, 'lifecycle'>,
): CounterCopying | undefined {
  if (open === undefined) return undefined;
  const copying = new CounterCopying({ ...open, ...reported(deps), clock: deps.clock });
  deps.telemetry
    ?.meter('hindsight.usage')
    .createObservableGauge('hindsight.usage.counters.age', {
      unit: 's',
      description: 'Since Redis was last known to have all that was counted',
    })
    .addCallback((gauge) => gauge.observe(copying.age));
  // The ledger notes the rest, which any process copies.
  deps.lifecycle.onStop('copying of counters', () => copying.stop(), Infinity);
  return copying;
}

/** Logs the first failure of several, and the success after them; counts each. */
function reported({ logger, telemetry }: Deps) {
  const failures = telemetry?.meter('hindsight.usage').createCounter('hindsight.usage.counters.failures', {
    description: 'Writes of counters that Redis did not take',
  });
  let failing = false;
  return {
    onFailure(error: unknown): void {
      const { name, message: reason } = error instanceof Error ? error : new Error(String(error));
      failures?.add(1, { reason: name === 'RedisRefused' ? 'refused' : 'unreachable' });
      if (!failing) logger.warn({ reason }, 'Redis does not take usage counters; they are read from MongoDB');
      failing = true;
    },
    onSuccess(): void {
      if (failing) logger.info('Redis takes usage counters again');
      failing = false;
    },
  };
}
