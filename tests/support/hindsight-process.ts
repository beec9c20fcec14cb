import { spawn, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { machineEnv, PATIENT } from './machine.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const READY = /Hindsight (?:is ready|runs) at (http:\/\/\S+?)[.,]\s/;

const CURL_LINES = 3;
const READY_WITHIN_MS = 600_000;

/** The one-process installation, run as `npm start` runs it. */
export interface HindsightProcess {
  readonly child: ChildProcess;
  /** URL of the gateway. */
  readonly url: string;
  /** URL of the portal. */
  readonly portalUrl: string;
  readonly demoKey: string;
  /** The curl lines of the start message. */
  readonly curls: readonly string[];
  /** Milliseconds from the spawn to the start message. */
  readonly readyAfterMs: number;
  output(): string;
  /** Sends a signal and waits for the end. Resolves to the exit code, null after a kill. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Settings of a test's process: the machine's variables, and nothing else of the caller's environment. */
function environment(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...machineEnv(), ...PATIENT, PORT: '0', METRICS_PORT: '0', PORTAL_PORT: '0', ...settings };
}

/** True once the start message is complete, down to its last curl line. */
function isWhole(output: string): boolean {
  return READY.test(output) && output.split(/\bcurl -H .*'\n/).length > CURL_LINES;
}

/** Starts the process; resolves at its start message. */
export async function startHindsight(settings: Readonly<Record<string, string>>): Promise<HindsightProcess> {
  const begun = performance.now();
  const { child, output, exited } = spawnHindsight(settings);
  const text = await new Promise<string>((found, reject) => {
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`not ready within ${READY_WITHIN_MS} ms:\n${output()}`));
    }, READY_WITHIN_MS);
    child.stdout?.on('data', () => {
      if (!isWhole(output())) return;
      clearTimeout(late);
      found(output());
    });
    void exited.then((code) => reject(new Error(`ended with ${code}:\n${output()}`)));
  });
  return {
    child,
    url: READY.exec(text)?.[1] ?? '',
    portalUrl: /portal\s+(http\S+)/.exec(text)?.[1] ?? '',
    demoKey: /demo key\s+(\S+)/.exec(text)?.[1] ?? '',
    curls: text.split('\n').filter((line) => line.trim().startsWith('curl ')),
    readyAfterMs: performance.now() - begun,
    output,
    end: (signal) => {
      child.kill(signal);
      return exited;
    },
  };
}

/** Runs the process until it ends by itself. */
export async function runHindsight(
  settings: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  const { output, exited } = spawnHindsight(settings);
  return { code: await exited, output: output() };
}

function spawnHindsight(settings: Readonly<Record<string, string>>): {
  child: ChildProcess;
  output: () => string;
  exited: Promise<number | null>;
} {
  const child = spawn(process.execPath, ['standalone/src/main.ts'], {
    cwd: ROOT,
    env: environment(settings),
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<number | null>((done) => child.once('close', (code) => done(code)));
  return { child, output: () => output, exited };
}
