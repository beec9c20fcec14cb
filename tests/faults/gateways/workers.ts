/** One gateway of two workers: to its callers, its operator and the month's limit it is one process. */
import { beforeAll, expect, it } from '@jest/globals';
import { rounds } from '@hindsight/kernel/test/support/rounds.ts';
import { until, untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import { freePort } from '@hindsight/tools/servers/ports.ts';
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHEAP_PATH, type Place } from '../../support/gateway-fleet.ts';
import { hammer } from '../../support/hammer.ts';
import type { World } from './world.ts';

const LIMIT = 1_200 * rounds(1);
const TEST_WITHIN_MS = 600_000;

/** To be called in a `describe`. */
export function describeWorkers(world: () => World): void {
  let gateway: Place;
  let metricsUrl: string;

  beforeAll(async () => {
    const metricsPort = await freePort();
    metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
    gateway = await world().fleet.startBeside({ WORKERS: '2', METRICS_PORT: String(metricsPort) });
    await untilReady();
  });

  const workers = (): number[] =>
    execFileSync('ps', ['-o', 'pid=', '--ppid', String(gateway.pid)], { encoding: 'utf8' })
      .trim()
      .split(/\s+/)
      .map(Number);
  const readiness = async (): Promise<string> =>
    fetch(`${gateway.url}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
      async (response) => `${response.status} ${await response.text()}`,
      () => '',
    );
  const untilReady = (): Promise<void> =>
    untilItWorks('both workers are ready', async () =>
      expect(await readiness()).toMatch(/^200 .*2 of 2 run/),
    ).catch((cause: unknown) => {
      throw new Error(gateway.output, { cause });
    });

  it('serve from one port; metrics are those of all', async () => {
    const { key } = await world().fleet.createProject(LIMIT);
    const load = { urls: [gateway.url], path: CHEAP_PATH, key, insist: true };
    const { statuses } = await hammer({ ...load, requests: 500 });
    expect(statuses).toEqual({ 200: 500 });
    let metrics = '';
    // A worker that is too slow to send its own is left out.
    await until('both workers send their metrics', async () => {
      metrics = await (await fetch(metricsUrl)).text();
      const counts = metrics.matchAll(/^http_server_request_duration_\w*count\{.*worker="(\d)"\} \d+/gm);
      return new Set([...counts].map(([, worker]) => worker)).size === 2;
    });
    expect(metrics.match(/^# TYPE http_server_request_duration\w* /gm)).toHaveLength(1);
  });

  it('admit exactly the limit, and one that is killed is replaced; what the callers saw is counted', async () => {
    const { fleet } = world();
    const { key } = await fleet.createProject(LIMIT);
    const [victim] = workers();
    let killed = false;
    const onAnswer = (answers: number): void => {
      if (killed || answers < LIMIT / 2) return;
      killed = true;
      process.kill(victim!, 'SIGKILL');
    };
    const load = { urls: [gateway.url], path: CHEAP_PATH, key, requests: 2 * LIMIT, insist: true };
    const { statuses, cutOff } = await hammer({ ...load, onAnswer });
    const answered = statuses[200]!;
    await untilReady();
    const counted = await fleet.settled(key, answered, TEST_WITHIN_MS / 2);
    process.stdout.write(`a worker killed: ${JSON.stringify({ statuses, cutOff, counted })}\n`);
    expect(answered).toBeLessThanOrEqual(LIMIT);
    expect(counted).toBeGreaterThanOrEqual(answered);
    expect(counted).toBeLessThanOrEqual(Math.min(answered + cutOff, LIMIT));
    // A report on its workers is a second old.
    await until('another has taken its place', () => {
      const running = workers();
      return running.length === 2 && !running.includes(victim!);
    });
  });

  it('end together on SIGTERM, and with a primary that is killed', async () => {
    const ended = workers();
    await gateway.end('SIGTERM');
    for (const pid of ended) expect(() => process.kill(pid, 0)).toThrow();
    await gateway.start();
    await untilReady();
    const orphans = workers();
    await gateway.killAndRestart();
    await untilReady();
    const gone = (pid: number): boolean => {
      try {
        return process.kill(pid, 0) && false;
      } catch {
        return true;
      }
    };
    while (!orphans.every(gone)) await sleep(50);
    expect(workers()).toHaveLength(2);
  });
}
