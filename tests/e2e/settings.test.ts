/** Every setting of every process, wrong in every way: all faults at once, secrets masked, exit code 2. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigError, type Environment } from '@hindsight/kernel/config.ts';
import { describe, expect, it } from '@jest/globals';
import { machineEnv } from '../support/machine.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = readFileSync(resolve(ROOT, 'docs/operations/settings.md'), 'utf8');

/** Wrong values by kind of setting; each round takes the next one. */
const WRONG = {
  number: ['x', '-1', '1.5', '0x50', '99999999999', '1 2', ' ٣'],
  word: ['loud', 'INFO ', '1', 'no', 'off on', 'tru', '{}'],
  text: ['x'.repeat(5_000)],
  secret: ['hunter2', 'x'.repeat(5_000)],
  url: ['hunter2', 'ftp://hunter2@host', 'http//host', '://hunter2', 'javascript:hunter2'],
  base: ['https://host?hunter2', 'https://host#hunter2', 'https://me:hunter2@host', 'hunter2'],
  site: ['https://host/hunter2', 'https://host/?hunter2', '//hunter2', 'hunter2'],
  sender: ['Hindsight', '<>', 'no-reply@', 'x'.repeat(5_000)],
  hosts: ['no port', 'host:99999', ':9092', 'host:port', 'http://host:1'],
  addresses: ['300.1.1.1', 'two words', '10.0.0.0/64'],
  contact: ['someone@example.org', 'http://host', 'mailto:two words'],
  tokens: ['0x12', 'all, of them', 'USDC'],
  networks: ['Eth Mainnet', 'base-mainnet,base-mainnet', '-x', 'http://host'],
  names: ['http://host', '127.0.0.1', 'host:443', '-bad-.example'],
} as const;
type Kind = keyof typeof WRONG;

const EVERY = {
  HOST: 'text',
  PORT: 'number',
  METRICS_PORT: 'number',
  LOG_LEVEL: 'word',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'url',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'word',
  OTEL_TRACES_EXPORTER: 'word',
  OTEL_METRICS_EXPORTER: 'word',
  OTEL_METRIC_EXPORT_INTERVAL: 'number',
  OTEL_SDK_DISABLED: 'word',
} as const;
const STORED = {
  DATA_DIR: 'text',
  MONGODB_URL: 'url',
  KAFKA_BROKERS: 'hosts',
  KAFKA_TLS: 'word',
  KAFKA_CA_FILE: 'text',
  KAFKA_SASL_MECHANISM: 'word',
  KAFKA_SASL_USERNAME: 'text',
  KAFKA_SASL_PASSWORD: 'text',
} as const;
const CHAIN = { ETH_RPC_URL: 'url', ETH_RPC_TIMEOUT_MS: 'number' } as const;
const NETWORKS = {
  BASE_RPC_URL: 'url',
  OP_RPC_URL: 'url',
  UNICHAIN_RPC_URL: 'url',
  ARB_RPC_URL: 'url',
  POLYGON_RPC_URL: 'url',
  BNB_RPC_URL: 'url',
  GNOSIS_RPC_URL: 'url',
  SEPOLIA_RPC_URL: 'url',
  NETWORKS_FILE: 'text',
  NETWORKS: 'networks',
} as const;

const HOLDERS = {
  INDEX_TOKENS: 'tokens',
  INDEX_FROM: 'number',
  INDEX_MEMORY_MB: 'number',
  INDEX_CHECKS_PER_MINUTE: 'number',
  INDEX_THREADS: 'number',
} as const;

const PORTAL = {
  PORTAL_URL: 'site',
  API_URL: 'base',
  SMTP_URL: 'url',
  MAIL_FROM: 'sender',
  GITHUB_CLIENT_ID: 'text',
  GITHUB_CLIENT_SECRET: 'text',
  GITHUB_URL: 'url',
  GOOGLE_CLIENT_ID: 'text',
  GOOGLE_CLIENT_SECRET: 'text',
  GOOGLE_ISSUER: 'url',
  SECURITY_CONTACT: 'contact',
  NODE_ENV: 'text',
} as const;

const PROCESSES: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  'services/balance/src/main.ts': {
    ...EVERY,
    ...CHAIN,
    ...NETWORKS,
    REDIS_URL: 'url',
    REQUEST_TIMEOUT_MS: 'number',
    ENS_CCIP_GATEWAYS: 'names',
  },
  'services/gateway/src/main.ts': {
    ...EVERY,
    ...STORED,
    SECRETS_KEY: 'secret',
    SECRETS_KEY_PREVIOUS: 'secret',
    REDIS_URL: 'url',
    BALANCE_URL: 'url',
    TOKENS_URL: 'url',
    HOLDERS_URL: 'url',
    ORDERS_URL: 'url',
    NETWORKS: 'networks',
    TRUST_PROXY: 'addresses',
    PORTAL_URL: 'site',
    SECURITY_CONTACT: 'contact',
    USAGE_SPOOL_MAX_MB: 'number',
    UPSTREAM_TIMEOUT_MS: 'number',
  },
  'services/metering/src/main.ts': { ...EVERY, ...STORED },
  'services/orders/src/main.ts': {
    ...EVERY,
    ...STORED,
    ...CHAIN,
    ...NETWORKS,
    ORDERS_KEEP_DAYS: 'number',
    ORDERS_MAX_IN_FLIGHT: 'number',
    ORDERS_READABLE: 'word',
  },
  'services/tokens/src/main.ts': {
    ...EVERY,
    ...CHAIN,
    ...NETWORKS,
    MONGODB_URL: 'url',
    TOKENS_FROM_BLOCK: 'number',
    TOKENS_INDEX: 'word',
  },
  'services/holders/src/main.ts': {
    ...EVERY,
    ...CHAIN,
    ...NETWORKS,
    ...HOLDERS,
    BALANCE_URL: 'url',
    CLICKHOUSE_URL: 'url',
    DATA_DIR: 'text',
    REQUEST_TIMEOUT_MS: 'number',
  },
  'services/portal/src/main.ts': {
    ...EVERY,
    ...STORED,
    ...CHAIN,
    ...PORTAL,
    GATEWAY_URL: 'url',
    BALANCE_URL: 'url',
    TOKENS_URL: 'url',
    HOLDERS_URL: 'url',
    ORDERS_URL: 'url',
    SECRETS_KEY: 'secret',
    SECRETS_KEY_PREVIOUS: 'secret',
    DEMO_KEY: 'secret',
    TRUST_PROXY: 'addresses',
  },
  'standalone/src/main.ts': {
    ...EVERY,
    ...HOLDERS,
    ...PORTAL,
    PORTAL_PORT: 'number',
    ORDERS_KEEP_DAYS: 'number',
    ORDERS_MAX_IN_FLIGHT: 'number',
    ORDERS_READABLE: 'word',
    ...CHAIN,
    ...NETWORKS,
    DATA_DIR: 'text',
    SECRETS_KEY: 'secret',
    DEMO_KEY: 'secret',
    REQUEST_TIMEOUT_MS: 'number',
  },
};

const ROUNDS = 4;

/** A setting of each kind is wrong in the way of this round. */
function faulty(settings: Readonly<Record<string, Kind>>, round: number): Record<string, string> {
  const wrong = Object.entries(settings).map(([name, kind]) => [
    name,
    WRONG[kind][round % WRONG[kind].length],
  ]);
  return Object.fromEntries(wrong) as Record<string, string>;
}

describe.each(Object.entries(PROCESSES))('%s', (script, settings) => {
  const expectNamed = (faults: string): void => {
    const named = Object.keys(settings).filter((name) => faults.includes(`  - ${name} is `));
    expect(named).toEqual(Object.keys(settings));
    expect(faults).not.toContain('hunter2');
  };

  it('names each of its wrong settings, and shows no secret', () => {
    const env = { ...machineEnv(), ...faulty(settings, 0) } as NodeJS.ProcessEnv;
    const limits = { encoding: 'utf8', timeout: 600_000 } as const;
    const { status, stderr } = spawnSync(process.execPath, [script], { cwd: ROOT, env, ...limits });
    expectNamed(stderr);
    expect(stderr).toMatch(/ has \d+ faults:/);
    expect(status).toBe(2);
  });

  it('names them in whichever way they are wrong', async () => {
    const module = join(ROOT, dirname(script), 'config.ts');
    const { readConfig } = (await import(module)) as { readConfig: (env: Environment) => unknown };
    for (let round = 0; round < ROUNDS; round++) {
      const read = (): unknown => readConfig(faulty(settings, round));
      expect(read).toThrow(ConfigError);
      expectNamed(messageOf(read));
    }
  });

  it('documents each of them', () => {
    const missing = Object.keys(settings).filter((name) => !PAGE.includes(`\`${name}\``));
    expect(missing).toEqual([]);
  });
});

function messageOf(read: () => unknown): string {
  try {
    read();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
