/** A gateway's cost of telemetry: sent nowhere, one request in a hundred traced, every request traced. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contest } from './contest.ts';
import { asked } from './gateway.ts';
import { makeKey, SECRETS_KEY } from './make-key.ts';
import type { Results } from './results.ts';
import { startScript, startService, type ServiceProcess } from './service-process.ts';

const REQUESTS = 20_000;
/** All spans are sent: the SDK's usual queue would drop most at this rate, which would cost less. */
const SPANS = {
  OTEL_BSP_MAX_QUEUE_SIZE: '65536',
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '4096',
  OTEL_BSP_SCHEDULE_DELAY: '250',
};
const ONE_IN_A_HUNDRED = {
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0.01',
};

export async function run(results: Results): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-bench-'));
  const service = await startScript('tools/bench/processes/small-answers.ts', []);
  const collector = await startScript('tools/bench/processes/otlp-sink.ts', []);
  const urls = { BALANCE_URL: service.url, TOKENS_URL: service.url, ORDERS_URL: service.url };
  const sent = { ...SPANS, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const kinds = {
    'metrics for a scraper, no traces': {},
    'metrics sent, one request in 100 traced': { ...sent, ...ONE_IN_A_HUNDRED },
    'metrics sent, every request traced': sent,
  };
  const gateways: ServiceProcess[] = [];
  try {
    const contestants = [];
    for (const [name, settings] of Object.entries(kinds)) {
      const dataDir = join(folder, String(gateways.length));
      const key = await makeKey(dataDir);
      const gateway = await startService('gateway', { ...urls, ...settings, DATA_DIR: dataDir, SECRETS_KEY });
      gateways.push(gateway);
      contestants.push(asked(name, gateway, key));
    }
    for (const { pid } of gateways) execFileSync('taskset', ['-apc', '0', String(pid)]);
    for (const pid of [service.pid, collector.pid, process.pid])
      execFileSync('taskset', ['-apc', '1', String(pid)]);
    await contest({ title: 'telemetry of a gateway', contestants, operations: REQUESTS }, results);
  } finally {
    execFileSync('taskset', ['-apc', '0-63', String(process.pid)]);
    for (const process of [...gateways, service, collector]) await process.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
