import { runCommand } from '@hindsight/standalone/admin/program.ts';
import { runAgain, type AdminRun } from './admin.ts';

type Name = 'stdout' | 'stderr';

let former: Promise<unknown> = Promise.resolve();

/**
 * Runs the administration in this process, for suites that run many commands: the start of a process takes longer than most
 * of them. One at a time, since all print to the same place.
 */
export function runAdminHere(
  env: Readonly<Record<string, string>>,
  ...words: readonly string[]
): Promise<AdminRun> {
  const run = former.then(() => runAlone(env, words));
  former = run.catch(() => undefined);
  return run;
}

/** The same, again where a busy machine's store was too slow for it, as an operator would. */
export function runAdminAgain(...run: Parameters<typeof runAdminHere>): Promise<AdminRun> {
  return runAgain(() => runAdminHere(...run));
}

async function runAlone(env: Readonly<Record<string, string>>, words: readonly string[]): Promise<AdminRun> {
  const printed = { stdout: '', stderr: '' };
  const undo = (['stdout', 'stderr'] as const).map((name) => divert(name, printed));
  try {
    const code = await runCommand(env, words);
    return { code, ...printed };
  } finally {
    for (const each of undo) each();
  }
}

function divert(name: Name, printed: Record<Name, string>): () => void {
  const stream = process[name];
  const write = stream.write.bind(stream);
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    printed[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    // A pipeline waits for this.
    for (const each of rest) if (typeof each === 'function') (each as () => void)();
    return true;
  };
  return () => {
    stream.write = write;
  };
}
