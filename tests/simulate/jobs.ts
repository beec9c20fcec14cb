/** Runs seeds over several child processes, some at a time in each. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { wordsOf, type Run } from './options.ts';
import type { SeedResult } from './seeds.ts';

/** The most seeds of one child: its start takes as long as a few of them. */
const SEEDS_OF_CHILD = 100;
const PROGRAM = join(import.meta.dirname, 'main.ts');

/**
 * Yields results as they come. Seeds under way when the caller stops are ended.
 * @throws Error if a child ends before its seeds
 */
export async function* spread(run: Run, jobs: number): AsyncGenerator<SeedResult> {
  const end = performance.now() + run.minutes * 60_000;
  const last = run.seed + run.seeds;
  const results = new TransformStream<SeedResult, SeedResult>();
  const writer = results.writable.getWriter();
  const stopping = new AbortController();
  const share = Math.min(SEEDS_OF_CHILD, Math.ceil(run.seeds / jobs));
  let next = run.seed;
  const work = async (): Promise<void> => {
    while (next < last && performance.now() < end && !stopping.signal.aborted) {
      const seed = next;
      const seeds = Math.min(share, last - seed);
      next += seeds;
      for await (const result of runChild({ ...run, seed, seeds }, stopping.signal))
        await writer.write(result);
    }
  };
  const workers = Promise.all(Array.from({ length: jobs }, work));
  workers
    .then(
      () => writer.close(),
      (error: unknown) => writer.abort(error),
    )
    .catch(() => undefined);
  try {
    yield* results.readable;
  } finally {
    stopping.abort();
  }
}

async function* runChild(run: Run, signal: AbortSignal): AsyncGenerator<SeedResult> {
  const child = spawn(process.execPath, [...process.execArgv, PROGRAM, '--json', ...wordsOf(run)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = (): void => void child.kill();
  signal.addEventListener('abort', kill, { once: true });
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    count++;
    yield JSON.parse(line) as SeedResult;
  }
  signal.removeEventListener('abort', kill);
  if (count < run.seeds && run.plant === undefined && !signal.aborted)
    throw new Error(`a child ended after ${count} of the ${run.seeds} seeds from ${run.seed} on`);
}
