/** `npm run stack [-- --gateways N] [--networks N] [--restart] [--port N] [--dir FOLDER]`: see docs/operations/README.md. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { EXAMPLES } from '@hindsight/devchain/examples.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { banner } from '@hindsight/standalone/banner.ts';
import { MAX_NETWORKS } from './networks.ts';
import { MAX_GATEWAYS } from './services.ts';
import { startStack, type StackOptions } from './stack.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Each process has ten seconds; the servers come after the services. */
const STOP_WITHIN_MS = 45_000;
/** Terminal and npm both send the signal of one Ctrl-C. */
const SAME_SIGNAL_MS = 1_000;
/** Passed on to every service unchanged. */
const PASSED_ON =
  /^(LOG_LEVEL|OTEL_\w+|[A-Z]+_RPC_\w+|NETWORKS|NETWORKS_FILE|INDEX_\w+|TOKENS_FROM_BLOCK|CLICKHOUSE_URL|PUBLIC_URL|SECURITY_CONTACT|TRUST_PROXY|UPSTREAM_\w+|SMTP_URL|MAIL_FROM|GITHUB_(CLIENT_ID|CLIENT_SECRET|URL)|GOOGLE_(CLIENT_ID|CLIENT_SECRET|ISSUER))$/;
const OF_KAFKA = /^KAFKA_(TLS|CA_FILE|SASL_\w+)$/;
/**
 * Without a bound V8 lets garbage lie in proportion to the memory of the machine. In a container of 768 MiB, as in
 * `docker-compose.yml`, it takes as much by itself.
 */
const HEAP = '--max-old-space-size=384';
const MACHINE = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LANG',
  'TZ',
  'NODE_COMPILE_CACHE',
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
];

function readOptions(env: NodeJS.ProcessEnv): StackOptions {
  const { values } = parseArgs({
    options: {
      gateways: { type: 'string', default: '1' },
      networks: { type: 'string', default: '1' },
      port: { type: 'string', default: env.PORT || '8080' },
      dir: { type: 'string', default: '.stack' },
      restart: { type: 'boolean', default: false },
    },
  });
  const picked = (wanted: (name: string) => boolean): Record<string, string> =>
    Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (value && wanted(name) ? [[name, value]] : [])),
    );
  return {
    root: ROOT,
    folder: resolve(values.dir),
    gateways: wholeNumber('--gateways', values.gateways, 1, MAX_GATEWAYS),
    networks: wholeNumber('--networks', values.networks, 1, MAX_NETWORKS),
    basePort: wholeNumber('--port', values.port, 1, 60_000),
    restart: values.restart,
    servers: {
      brokers: env.KAFKA_BROKERS || undefined,
      redisUrl: env.REDIS_URL || undefined,
      mongodbUrl: env.MONGODB_URL || undefined,
    },
    kafka: env.KAFKA_BROKERS ? picked((name) => OF_KAFKA.test(name)) : {},
    secret: env.SECRETS_KEY || undefined,
    ethRpcUrl: env.ETH_RPC_URL || undefined,
    demoKey: env.DEMO_KEY || undefined,
    settings: picked((name) => PASSED_ON.test(name)),
    machine: { NODE_OPTIONS: HEAP, ...picked((name) => MACHINE.includes(name)) },
  };
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new TypeError(`${name} ${JSON.stringify(text)}: expected a whole number from ${min} to ${max}`);
}

async function main(): Promise<void> {
  const options = readOptions(process.env);
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

await main();
