/** Runs the administration as its users do: the command, in a separate process. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { machineEnv } from './machine.ts';

const ROOT = join(import.meta.dirname, '../..');
const RUN_WITHIN_MS = 600_000;
const ATTEMPTS = 5;
const STORE_AWAY = /MongoDB is not available|Redis is not reachable/;

/** The result of a command. */
export interface AdminRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `npm run --silent admin -- <words>` with these settings and none of the caller's. */
export function runAdminByNpm(env: Settings, ...words: string[]): Promise<AdminRun> {
  return run('npm', ['run', '--silent', 'admin', '--', ...words], env);
}

/** The same without npm, which starts more slowly than the command. */
export function runAdmin(env: Settings, ...words: string[]): Promise<AdminRun> {
  return run(process.execPath, [join(ROOT, 'standalone', 'src', 'admin', 'main.ts'), ...words], env);
}

/** Runs a command again where a busy machine's store was too slow for it, as an operator would. */
export async function runAgain(command: () => Promise<AdminRun>): Promise<AdminRun> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await command();
    if (outcome.code === 0 || attempt === ATTEMPTS || !STORE_AWAY.test(outcome.stderr)) return outcome;
  }
}

/** Makes a project that no limit slows down. @returns its key @throws where it is not made */
export async function makeBoundlessKey(env: Settings): Promise<string> {
  const limits = ['--plan', 'enterprise', '--monthly-limit', '1000000000', '--rate', '100000'];
  const words = ['project', 'create', '--name', 'load', ...limits, '--json'];
  const { code, stdout, stderr } = await runAgain(() => runAdmin(env, ...words));
  if (code !== 0) throw new Error(`no project was made: ${stdout}${stderr}`);
  return (JSON.parse(stdout) as { key: string }).key;
}

/** Runs `npm run events -- <words>`, without npm as well. */
export function runEvents(env: Settings, ...words: string[]): Promise<AdminRun> {
  return run(process.execPath, [join(ROOT, 'standalone', 'src', 'events', 'main.ts'), ...words], env);
}

type Settings = Readonly<Record<string, string>>;

function run(command: string, args: readonly string[], env: Settings): Promise<AdminRun> {
  const options = { cwd: ROOT, env: { ...machineEnv(), ...env }, timeout: RUN_WITHIN_MS };
  return new Promise((resolve, reject) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error?.killed) reject(new Error(`the command took too long: ${stderr}`));
      else resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}
