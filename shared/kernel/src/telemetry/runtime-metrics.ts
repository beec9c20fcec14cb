/** Metrics of the runtime, named by OpenTelemetry's conventions for Node.js and V8 where one exists. */
import type { Meter } from '@opentelemetry/api';
import {
  constants,
  monitorEventLoopDelay,
  PerformanceObserver,
  type PerformanceEntry,
} from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

const LOOP_RESOLUTION_MS = 10;

const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/** Measures event loop, heap, garbage collection and CPU of this process. Returns a function that stops. */
export function measureRuntime(meter: Meter): () => void {
  const stops = [measureLoop(meter), measureCollections(meter)];
  measureMemory(meter);
  const cpu = meter.createObservableCounter('process.cpu.time', {
    unit: 's',
    description: 'Processor time used',
  });
  cpu.addCallback((result) => {
    const { user, system } = process.cpuUsage();
    result.observe(user / 1e6, { 'cpu.mode': 'user' });
    result.observe(system / 1e6, { 'cpu.mode': 'system' });
  });
  const uptime = meter.createObservableGauge('process.uptime', {
    unit: 's',
    description: 'Time since the process began',
  });
  uptime.addCallback((result) => result.observe(process.uptime()));
  return () => stops.forEach((stop) => stop());
}

/** The delay of the event loop since the last reading, beyond the timer's own resolution. */
function measureLoop(meter: Meter): () => void {
  const delay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  delay.enable();
  const gauge = (name: string, what: string) =>
    meter.createObservableGauge(`nodejs.eventloop.delay.${name}`, {
      unit: 's',
      description: `Event loop delay since the last reading: ${what}`,
    });
  const [p50, p99, max] = [gauge('p50', 'median'), gauge('p99', '99th percentile'), gauge('max', 'longest')];
  const seconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - LOOP_RESOLUTION_MS / 1e3);
  meter.addBatchObservableCallback(
    (result) => {
      if (delay.count === 0) return;
      result.observe(p50, seconds(delay.percentile(50)));
      result.observe(p99, seconds(delay.percentile(99)));
      result.observe(max, seconds(delay.max));
      delay.reset();
    },
    [p50, p99, max],
  );
  return () => void delay.disable();
}

function measureCollections(meter: Meter): () => void {
  const duration = meter.createHistogram('v8js.gc.duration', {
    unit: 's',
    description: 'Garbage collections',
    advice: { explicitBucketBoundaries: [0.001, 0.01, 0.1, 1] },
  });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { detail?: { kind?: number } })[]) {
      const kind = GC_KINDS[entry.detail?.kind ?? 0] ?? 'other';
      duration.record(entry.duration / 1e3, { 'v8js.gc.type': kind });
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => observer.disconnect();
}

function measureMemory(meter: Meter): void {
  const gauge = (name: string, description: string) =>
    meter.createObservableGauge(name, { unit: 'By', description });
  const used = gauge('v8js.memory.heap.used', 'Heap in use');
  const limit = gauge('v8js.memory.heap.limit', 'The most that the heap may grow to');
  const resident = gauge('process.memory.usage', 'Resident memory');
  meter.addBatchObservableCallback(
    (result) => {
      const heap = getHeapStatistics();
      result.observe(used, heap.used_heap_size);
      result.observe(limit, heap.heap_size_limit);
      result.observe(resident, process.memoryUsage.rss());
    },
    [used, limit, resident],
  );
}
