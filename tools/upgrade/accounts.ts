/** Projects under load, and a comparison of the counts with the clients' answers. */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { countedOf, type Seen } from './load.ts';

const COUNTED_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 500;

export interface AdminOf {
  /** The version's folder. */
  readonly tree: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface TestProject {
  readonly project: string;
  readonly key: string;
  readonly limit: number;
}

/** Runs a command of the administration. */
export async function admin({ tree, env }: AdminOf, ...words: string[]): Promise<unknown> {
  const args = ['standalone/src/admin/main.ts', ...words, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: tree, env });
  return JSON.parse(stdout);
}

/** Makes a project with this monthly limit, which no burst limit slows down. */
export async function makeProject(of: AdminOf, limit: number): Promise<TestProject> {
  const limits = ['--plan', 'enterprise', '--monthly-limit', String(limit), '--rate', '100000'];
  const made = (await admin(of, 'project', 'create', '--name', 'upgrade', ...limits)) as TestProject;
  return { ...made, limit };
}

interface Shown {
  readonly requests: { readonly used: number };
  readonly orders: number;
}

export interface Compared {
  readonly finding: string;
  readonly faults: readonly string[];
  readonly orders: number;
}

/** Waits until everything is counted, and compares it with the clients' answers. */
export async function compare(
  of: AdminOf,
  { project, limit }: TestProject,
  seen: readonly Seen[],
): Promise<Compared> {
  const { answered, unknown } = countedOf(seen);
  const taken = seen.reduce((sum, one) => sum + one.taken.size, 0);
  let shown: Shown;
  const end = performance.now() + COUNTED_WITHIN_MS;
  do {
    await sleep(LOOK_EVERY_MS);
    shown = (await admin(of, 'usage', 'show', project)) as Shown;
  } while ((shown.requests.used < answered || shown.orders < taken) && performance.now() < end);
  const { used } = shown.requests;
  const faults: string[] = [];
  if (used < answered) faults.push(`${project}: ${answered} answers, ${used} counted`);
  if (used > answered + unknown)
    faults.push(`${project}: ${answered} answers and ${unknown} cut off, ${used} counted`);
  if (answered > limit || used > limit)
    faults.push(`${project}: ${answered} answers and ${used} counted, limit ${limit}`);
  const finding = `${answered} answers, ${unknown} without an answer, ${used} counted, limit ${limit}`;
  return { finding, faults, orders: shown.orders };
}

/** Differences within the ledger. */
export async function differences(of: AdminOf): Promise<number> {
  return ((await admin(of, 'usage', 'reconcile')) as { differing: number }).differing;
}
