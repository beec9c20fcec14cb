/**
 * The attacks of one free account on the stack, all at once (`npm run bench attacks [MINUTES [WORD]]`): three gateways, five
 * projects, on loopback. Prints what they do to `/livez`, the turns and the memory of each process, and to other projects,
 * beside the same without them.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { quantile } from '../../tests/support/steady-load.ts';
import { TOKENS } from '@hindsight/devchain/world.ts';
import type { AttackPlan, Outcomes } from './attackers.ts';
import { residentMib } from './machine.ts';
import { makeKey } from './make-key.ts';
import { startScript } from './service-process.ts';

const MINUTES = 5;
const MAX_MINUTES = 15;
const QUIET_MS = 60_000;
const GATEWAYS = 3;
const PROJECTS = 5;
const LIVEZ_EVERY_MS = 100;
/** Of other projects, at each gateway. */
const OTHERS_EVERY_MS = 100;
/** Of the goal: no process may hold more beside what it holds without attacks. */
const MOST_ABOVE_MIB = 400;
// Below those that connections take.
const PORT = 26_080;
/** Half of what a container may hold: V8 lets garbage lie in proportion to the memory of the machine. */
const HEAP = '--max-old-space-size=384';
/** Each process prints its longest turn of the event loop on SIGUSR2. */
const HOOK = new URL('../../tests/support/hostile/report-processor-time.ts', import.meta.url).href;
const PRINTED_WITHIN_MS = 10_000;
const KINDS = ['gateway', 'balance', 'tokens', 'orders', 'metering', 'portal'] as const;

interface Running {
  readonly pid: number;
  readonly url: string;
}
type State = Readonly<Record<(typeof KINDS)[number], readonly Running[]>> & {
  readonly env: { readonly MONGODB_URL: string; readonly SECRETS_KEY: string };
};

/** Runs it, and prints its tables. Ends with 1 where a process holds more than the goal. */
export async function run(): Promise<void> {
  const minutes = Math.min(Number(process.argv[3] ?? MINUTES), MAX_MINUTES);
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-attacks-'));
  const args = ['--port', String(PORT), '--dir', folder, '--gateways', String(GATEWAYS)];
  const env = { HOME: homedir(), NODE_OPTIONS: `${HEAP} --import=${HOOK}` };
  const stack = await startScript('tools/stack/main.ts', args, env, /everything is ready/);
  try {
    const state = JSON.parse(readFileSync(join(folder, 'stack.json'), 'utf8')) as State;
    const { MONGODB_URL: mongodbUrl, SECRETS_KEY: secret } = state.env;
    const store = { mongodbUrl, secret };
    const other = await makeKey(folder, store);
    const keys: string[] = [];
    for (let n = 0; n < PROJECTS; n++)
      keys.push(
        await makeKey(folder, store, { name: `attacker ${n}`, plan: 'free', ownerId: 'the attacker' }),
      );
    const word = process.argv[4] ?? '';
    const plan: AttackPlan = { urls: state.gateway.map(({ url }) => url), keys, word };
    const attackers = new Worker(new URL('attackers.ts', import.meta.url), { workerData: plan });
    await once(attackers, 'message');
    const quiet = await observe(state, folder, other, QUIET_MS);
    attackers.postMessage('begin');
    const attacked = await observe(state, folder, other, minutes * 60_000);
    attackers.postMessage('stop');
    const [outcomes] = (await once(attackers, 'message')) as [Outcomes];
    print(quiet, attacked);
    for (const [name, counts] of Object.entries(outcomes))
      console.log(
        `- ${name}: ${Object.entries(counts)
          .map(([outcome, count]) => `${outcome} × ${count}`)
          .join(', ')}`,
      );
  } finally {
    await stack.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Milliseconds that answers took, and how many there were not. */
interface Answers {
  readonly ms: number[];
  failed: number;
}

interface Observed {
  readonly livez: ReadonlyMap<string, Answers>;
  /** The most that each process held, MiB. */
  readonly memory: ReadonlyMap<string, number>;
  /** The longest turn of each process's event loop, milliseconds of its thread's processor time. */
  readonly turns: ReadonlyMap<string, number>;
  readonly others: Answers;
}

/** Looks at all processes for some time, as a quiet project asks for balances at each gateway. */
async function observe(state: State, folder: string, key: string, ms: number): Promise<Observed> {
  const until = performance.now() + ms;
  const processes = KINDS.flatMap((kind) =>
    state[kind].map((one, i) => ({ ...one, name: `${kind}-${i + 1}` })),
  );
  const livez = new Map<string, Answers>(processes.map(({ name }) => [name, { ms: [], failed: 0 }]));
  const memory = new Map<string, number>();
  const others: Answers = { ms: [], failed: 0 };
  const repeat = async (everyMs: number, work: (n: number) => Promise<void>): Promise<void> => {
    for (let n = 0; performance.now() < until; n++) {
      await work(n);
      await sleep(everyMs);
    }
  };
  const turns = (): Promise<number[]> =>
    Promise.all(processes.map(({ pid, name }) => longestTurn(pid, join(folder, 'logs', `${name}.log`))));
  // Those before do not count.
  await turns();
  await Promise.all([
    ...processes.map(({ name, url }) =>
      repeat(LIVEZ_EVERY_MS, () => time(livez.get(name)!, `${url}/livez`, {})),
    ),
    ...state.gateway.map(({ url }, at) =>
      repeat(OTHERS_EVERY_MS, (n) => time(others, url + pathOf(at * 100_000 + n), { 'x-api-key': key })),
    ),
    repeat(LIVEZ_EVERY_MS, async () => {
      for (const { name, pid } of processes)
        memory.set(name, Math.max(memory.get(name) ?? 0, residentMib(pid)));
    }),
  ]);
  const longest = await turns();
  return { livez, memory, others, turns: new Map(processes.map(({ name }, i) => [name, longest[i]!])) };
}

/** The longest turn since the last question, in milliseconds of processor time. */
async function longestTurn(pid: number, logFile: string): Promise<number> {
  const printed = (): string[] => readFileSync(logFile, 'utf8').match(/(?<=longest turn )\d+/g) ?? [];
  const { length } = printed();
  process.kill(pid, 'SIGUSR2');
  const until = performance.now() + PRINTED_WITHIN_MS;
  while (printed().length === length) {
    if (performance.now() > until) throw new Error(`${logFile} has no longest turn`);
    await sleep(LIVEZ_EVERY_MS);
  }
  return Number(printed().at(-1)) / 1_000;
}

/** Mostly about holders that were not asked for before. */
function pathOf(n: number): string {
  const holder = `0x${(n % 4 === 0 ? n % 50 : n).toString(16).padStart(40, '1')}`;
  const at = `holder=${holder}&block_height=${17_999_880 + (n % 200)}`;
  return `/v1/eth-mainnet/balance/single?token_address=${TOKENS.usdc.address}&${at}`;
}

async function time(answers: Answers, url: string, headers: Record<string, string>): Promise<void> {
  const begun = performance.now();
  try {
    const answer = await fetch(url, { headers });
    await answer.arrayBuffer();
    if (!answer.ok) answers.failed += 1;
  } catch {
    answers.failed += 1;
  }
  answers.ms.push(performance.now() - begun);
}

function print(quiet: Observed, attacked: Observed): void {
  console.log(
    '| process | `/livez` p50, p99, most: quiet | attacked | longest turn: quiet | attacked | memory: quiet | attacked | above |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const [name, answers] of attacked.livez) {
    const [before, after] = [quiet.memory.get(name) ?? 0, attacked.memory.get(name) ?? 0];
    const above = after - before;
    if (above > MOST_ABOVE_MIB) process.exitCode = 1;
    const cells = [
      name,
      timesOf(quiet.livez.get(name)!),
      timesOf(answers),
      ...[quiet, attacked].map(({ turns }) => `${turns.get(name)!.toFixed(1)} ms`),
      mib(before),
      mib(after),
      mib(above),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
  console.log(
    `\nother projects: quiet ${timesOf(quiet.others)} of ${quiet.others.ms.length}, attacked ` +
      `${timesOf(attacked.others)} of ${attacked.others.ms.length}; memory: ${MOST_ABOVE_MIB} MiB above at most`,
  );
}

function timesOf({ ms, failed }: Answers): string {
  const sorted = Float64Array.from(ms).sort();
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => quantile(sorted, share).toFixed(1));
  return `${p50}, ${p99}, ${most} ms${failed === 0 ? '' : ` (${failed} failed)`}`;
}

function mib(amount: number): string {
  return `${amount.toFixed(0)} MiB`;
}
