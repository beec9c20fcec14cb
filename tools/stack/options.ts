/** Options of `npm run stack`, and the settings in its environment. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MAX_NETWORKS } from './networks.ts';
import { MAX_GATEWAYS } from './services.ts';
import type { StackOptions } from './stack.ts';

export const HELP = `npm run stack -- [options]

  --gateways N    gateways, up to ${MAX_GATEWAYS} (1)
  --networks N    networks, up to ${MAX_NETWORKS}: further ones beside mainnet (1)
  --port N        the first gateway's port; the others move along (PORT, or 8080)
  --restart       start a service again when it ends
  --dir FOLDER    for stack.json, logs and data (.stack)

More in docs/operations/install.md.
`;

/** The message says which option is wrong, and why. */
export class WrongOption extends Error {
  override readonly name = 'WrongOption';
}

const ROOT = resolve(import.meta.dirname, '../..');
/** Passed on to every service unchanged. */
const PASSED_ON =
  /^(LOG_LEVEL|OTEL_\w+|[A-Z]+_RPC_\w+|NETWORKS|NETWORKS_FILE|INDEX_\w+|TOKENS_FROM_BLOCK|CLICKHOUSE_URL|PUBLIC_URL|SECURITY_CONTACT|TRUST_PROXY|REQUEST_TIMEOUT_MS|UPSTREAM_\w+|SMTP_URL|MAIL_FROM|GITHUB_(CLIENT_ID|CLIENT_SECRET|URL)|GOOGLE_(CLIENT_ID|CLIENT_SECRET|ISSUER))$/;
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

/** Reads them. @returns undefined if help is asked for @throws {WrongOption} */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): StackOptions | undefined {
  const values = parse(args, env);
  if (values.help) return undefined;
  const picked = (wanted: (name: string) => boolean): Record<string, string> =>
    Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (value && wanted(name) ? [[name, value]] : [])),
    );
  return {
    root: ROOT,
    folder: folderOf(values.dir),
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

function parse(args: readonly string[], env: NodeJS.ProcessEnv) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        gateways: { type: 'string', default: '1' },
        networks: { type: 'string', default: '1' },
        port: { type: 'string', default: env.PORT || '8080' },
        dir: { type: 'string', default: '.stack' },
        restart: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new WrongOption((error as Error).message);
  }
}

/** Its `data` will be removed. A stack has folders there; one process, as in ./data, its databases. */
function folderOf(dir: string): string {
  if (existsSync(join(dir, 'data/hindsight.db')))
    throw new WrongOption(`--dir ${dir}: there is the data of \`npm start\`; choose another folder`);
  return resolve(dir);
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new WrongOption(`${name} ${JSON.stringify(text)}: expected a whole number from ${min} to ${max}`);
}
