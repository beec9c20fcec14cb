/** The production topology as `npm run stack` starts it, with its portal. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freeStackPort } from '../stack-port.ts';
import { commandsOn, portalOf, type Installation } from './installation.ts';
import { machineEnv } from '../machine.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const READY_WITHIN_MS = 240_000;

interface StackFile {
  readonly gateway: readonly { readonly url: string }[];
  readonly env: Readonly<Record<string, string>>;
}

/** Starts it on free ports; resolves when it is ready. */
export async function startStack(settings: Readonly<Record<string, string>> = {}): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-browser-stack-'));
  const line = ['tools/stack/main.ts', '--dir', folder, '--port', String(await freeStackPort())];
  const child = spawn(process.execPath, line, { cwd: ROOT, env: { ...machineEnv(), ...settings } });
  let output = '';
  const exited = new Promise<void>((done) => child.once('close', () => done()));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  await new Promise<void>((ready, reject) => {
    const fail = () => reject(new Error(`the stack is not up:\n${output}`));
    const late = setTimeout(fail, READY_WITHIN_MS);
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      if (!/demo key\s+\S+\s/.test(output)) return;
      clearTimeout(late);
      ready();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void exited.then(fail);
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const { gateway, env } = JSON.parse(readFileSync(join(folder, 'stack.json'), 'utf8')) as StackFile;
  const demoKey = /demo key\s+(\S+)/.exec(output)?.[1] ?? '';
  return {
    portal: portalOf(output),
    api: gateway[0]?.url ?? '',
    demoKey,
    ...commandsOn(env),
    emailsTo: async (address) => printedEmails(join(folder, 'logs', 'portal-1.log'), address),
    hasNoMailbox: true,
    stop,
  };
}

/** Without a mail server emails are logged. */
function printedEmails(log: string, address: string): string[] {
  const lines = readFileSync(log, 'utf8').split('\n');
  return lines
    .filter((line) => line.includes(`"to":"${address}"`))
    .map((line) => JSON.parse(line) as { subject: string; msg: string })
    .map(({ subject, msg }) => `${subject}\n${msg}`);
}
