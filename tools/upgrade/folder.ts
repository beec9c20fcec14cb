/** One process: killed in the other version, started in this one on the same folder, and back again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../servers/ports.ts';
import { spawnWatched, tailOf, terminate, untilReady } from '../servers/watched-child.ts';
import { compare, differences, makeProject, type TestProject } from './accounts.ts';
import { askBalances, sendOrders, type Seen } from './load.ts';
import { sumOf, type Report, type Step } from './report.ts';
import type { UpgradeRun } from './stack.ts';

const LOAD_MS = 8_000;
const PLENTY = 1_000_000;
const READY = { withinMs: 120_000, everyMs: 100 };
const TERM_WITHIN_MS = 15_000;

export async function upgradeFolder({ trees, machine, lifecycle, say }: UpgradeRun): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'hindsight-upgrade-'));
  lifecycle.onStop('data', () => rm(folder, { recursive: true, force: true }));
  const url = `http://127.0.0.1:${await freePort()}`;
  const env = {
    ...machine,
    DATA_DIR: join(folder, 'data'),
    PORT: new URL(url).port,
    PORTAL_PORT: String(await freePort()),
    METRICS_PORT: String(await freePort()),
  };
  const logFile = join(folder, 'log');
  const seen: Seen[] = [];
  const steps: Step[] = [];
  let project: TestProject | undefined;
  const runs = [
    ['old', trees.old],
    ['old → new', trees.new],
    ['new → old', trees.old],
    ['old → new again', trees.new],
  ] as const;
  for (const [series, [name, root]] of runs.entries()) {
    const begun = performance.now();
    const child = spawnWatched({
      command: process.execPath,
      args: ['standalone/src/main.ts'],
      folder: root,
      logFile,
      env,
    });
    lifecycle.onStop(name, () => terminate(child, TERM_WITHIN_MS));
    const fault = await untilReady(child, () => missing(url), READY);
    if (fault !== undefined) throw new Error(`${name}: ${fault}\n${await tailOf(logFile)}`);
    const downMs = performance.now() - begun;
    project ??= await makeProject({ tree: root, env }, PLENTY);
    const loads = [askBalances([url], project.key, 4, 20), sendOrders([url], project.key, series + 1, 100)];
    await sleep(LOAD_MS);
    // In the middle of it, but for the last one, which is to count everything. What waits on disk is for the next version.
    if (series < runs.length - 1) child.signal('SIGKILL');
    await Promise.all(loads.map((load) => load.stop()));
    if (series < runs.length - 1) await child.exited;
    seen.push(...loads.map((load) => load.seen));
    steps.push({ name, downMs, statuses: sumOf(loads.map((load) => load.seen.statuses)) });
    say(`${name}: ${JSON.stringify(steps.at(-1)?.statuses)}`);
  }
  const now = { tree: trees.new, env };
  const compared = await compare(now, project!, seen);
  const differing = await differences(now);
  const taken = seen.reduce((sum, one) => sum + one.taken.size, 0);
  const faults = [...compared.faults];
  if (compared.orders < taken) faults.push(`${taken} orders answered 201, ${compared.orders} counted`);
  if (differing > 0) faults.push(`usage reconcile: ${differing} differences`);
  return {
    title: 'One process on its data folder, killed with kill -9 under load before each change',
    steps,
    findings: {
      requests: compared.finding,
      orders: `${taken} answered 201, ${compared.orders} counted`,
      'differences within the ledger': differing,
    },
    faults,
  };
}

async function missing(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
    return response.ok ? undefined : (await response.text()).slice(0, 500);
  } catch (error) {
    return (error as Error).message;
  }
}
