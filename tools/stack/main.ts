/** `npm run stack [-- --gateways N] [--networks N] [--restart] [--port N] [--dir FOLDER]`: see docs/operations/install.md. */
import { EXAMPLES } from '@hindsight/devchain/examples.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { banner } from '@hindsight/standalone/banner.ts';
import { HELP, readOptions, WrongOption } from './options.ts';
import { startStack, type StackOptions } from './stack.ts';

/** Each process has ten seconds; the servers come after the services. */
const STOP_WITHIN_MS = 45_000;
/** Terminal and npm both send the signal of one Ctrl-C. */
const SAME_SIGNAL_MS = 1_000;

async function main(options: StackOptions): Promise<void> {
  const logger = createLogger({ name: 'stack', level: 'warn', pretty: process.stdout.isTTY });
  const lifecycle = createLifecycle(logger, STOP_WITHIN_MS);
  const begun = performance.now();
  const say = (line: string): void => {
    const seconds = ((performance.now() - begun) / 1000).toFixed(1).padStart(5);
    process.stdout.write(`[${seconds} s] ${line}\n`);
  };
  let firstSignal: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (firstSignal !== undefined) {
      // A second signal, unless npm has passed on the same one, does not wait: watchers kill the rest.
      if (performance.now() - firstSignal > SAME_SIGNAL_MS) process.exit(130);
      return;
    }
    firstSignal = performance.now();
    say(`${signal}: stopping everything`);
    void lifecycle.shutdown(signal).then((code) => process.exit(code));
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal).on('SIGHUP', onSignal);
  try {
    const stack = await startStack(options, lifecycle, logger, say);
    if (lifecycle.stopping) return;
    say(`everything is ready; ${stack.file} lists all addresses`);
    const devChainExamples = options.ethRpcUrl === undefined ? EXAMPLES : undefined;
    process.stdout.write(banner({ ...stack, devChainExamples }));
  } catch (error) {
    // A part that is stopped while it starts fails, as expected.
    if (lifecycle.stopping) return;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    await lifecycle.shutdown('could not start');
    process.exit(1);
  }
}

try {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === undefined) process.stdout.write(HELP);
  else await main(options);
} catch (error) {
  if (!(error instanceof WrongOption)) throw error;
  process.stderr.write(`${error.message}\n\n${HELP}`);
  process.exitCode = 2;
}
