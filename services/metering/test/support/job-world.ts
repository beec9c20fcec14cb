/** For tests of jobs: an embedded store, a readable log and metrics, and a clock that the test sets. */
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger, type Logger } from '@hindsight/kernel/logger.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import type { UsageStore } from '@hindsight/usage/ports.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A line of the log. */
interface Line {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** All of it. */
export interface JobWorld {
  /** Unix time in milliseconds, for the job. */
  readonly clock: { time: number; now(): number };
  readonly usage: UsageStore;
  /** The store as the job sees it; the test can make it unavailable. */
  readonly seen: UsageStore;
  unavailable: boolean;
  /** File of the store. */
  readonly file: string;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  /** Lines since the last look. */
  lines(): readonly Line[];
  /** Values that a scraper reads, by name with labels. */
  gauges(prefix: string): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

/** Opens one, empty, at this time. */
export async function openJobWorld(time: number): Promise<JobWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-job-'));
  const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  const clock = { time, now: () => clock.time };
  const { usage } = await openUsage({ dataDir: folder }, lifecycle);
  const telemetry = createTelemetry('metering');
  lifecycle.onStop('telemetry', () => telemetry.stop());
  const lines: Line[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Line);
  const world: JobWorld = {
    clock,
    usage,
    telemetry,
    file: join(folder, 'usage.db'),
    unavailable: false,
    seen: new Proxy(usage, {
      get: (target, method): unknown =>
        world.unavailable
          ? () => Promise.reject(new StoreUnavailable('test', 'unavailable'))
          : Reflect.get(target, method),
    }),
    logger: createLogger({ name: 'metering', level: 'info', destination: { write } }),
    lines: () => lines.splice(0),
    async gauges(prefix) {
      const found = (await telemetry.metricsText()).matchAll(/^(\w+)(?:\{(.*)\})? (\d+)/gm);
      return Object.fromEntries(
        [...found]
          .filter(([, name]) => name!.startsWith(prefix))
          .map(([, name, labels, value]) => [labelled(name!.slice(prefix.length), labels), Number(value)]),
      );
    },
    async close() {
      await lifecycle.shutdown('end of test');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}

/** Without what every metric is labelled with. */
function labelled(name: string, labels = ''): string {
  const own = [...labels.matchAll(/\b(\w+)="([^"]*)"/g)].filter(([, label]) => !label!.startsWith('otel_'));
  return [name, ...own.map(([, , value]) => value)].join(' ').trim();
}
