#!/usr/bin/env node
import { run } from './run.ts';

const interrupt = new AbortController();
process.once('SIGINT', () => interrupt.abort(new Error('interrupted')));
// A reader that has seen enough (`| head`) is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`hindsight: standard output cannot be written: ${error.message}\n`);
  process.exit(1);
});
// Notes that cannot be written end no work.
process.stderr.on('error', () => undefined);

const { env, stdin, stdout, stderr } = process;
process.exitCode = await run(process.argv.slice(2), { env, stdin, stdout, stderr, signal: interrupt.signal });
