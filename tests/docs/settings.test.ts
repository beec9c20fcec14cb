/**
 * docs/operations/settings.md is up to date with its generator, and true of the variables that each process
 * reads.
 */
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { fillSettings } from '@hindsight/tools/docs/settings.ts';
import { codeIn, read, ROOT } from './pages.ts';

/** Settings of each process in the tables. */
const PROCESSES = {
  gateway: 'services/gateway/src/config.ts',
  balance: 'services/balance/src/config.ts',
  tokens: 'services/tokens/src/config.ts',
  holders: 'services/holders/src/config.ts',
  orders: 'services/orders/src/config.ts',
  metering: 'services/metering/src/config.ts',
  portal: 'services/portal/src/config.ts',
  admin: 'standalone/src/admin/config.ts',
  'one process': 'standalone/src/config.ts',
} as const;
type ProcessName = keyof typeof PROCESSES;
const NAMES = Object.keys(PROCESSES) as ProcessName[];
/** The administration is no server. */
const ALL = NAMES.filter((name) => name !== 'admin');

/** Settings without a default. */
const REQUIRED = {
  SECRETS_KEY: 'sixteen characters',
  ETH_RPC_URL: 'http://127.0.0.1:1',
  BALANCE_URL: 'http://127.0.0.1:1',
  TOKENS_URL: 'http://127.0.0.1:1',
  ORDERS_URL: 'http://127.0.0.1:1',
};

type Read = (env: Readonly<Record<string, string | undefined>>) => Readonly<Record<string, unknown>>;

/** Every setting that a process reads, with its default; undefined without one. */
async function settingsOf(name: ProcessName): Promise<Map<string, string | undefined>> {
  const { readConfig } = (await import(resolve(ROOT, PROCESSES[name]))) as { readConfig: Read };
  const config = readConfig(REQUIRED);
  const shown = (value: unknown): string | undefined =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  return new Map(
    Object.entries(config).map(([setting, value]) => [
      setting,
      setting in REQUIRED ? undefined : shown(value),
    ]),
  );
}

interface Row {
  readonly names: readonly string[];
  readonly processes: readonly string[];
  readonly standard: string;
}

const PAGE = read('docs/operations/settings.md');

/** The rows of all tables, each cell without the space around it. */
const cells = PAGE.split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
const rows: Row[] = cells.map(([name = '', processes = '', standard = '']) => ({
  names: codeIn(name),
  processes: processes === 'all' ? ALL : processes.split(', '),
  standard,
}));

describe('the tables of settings', () => {
  it('are as `npm run build:settings` makes them', async () => {
    expect(PAGE).toBe(await fillSettings(PAGE));
  });

  it('describe each setting', () => {
    expect(cells.length).toBeGreaterThan(0);
    expect(cells.filter((row) => row.length !== 4 || row.some((cell) => cell === ''))).toEqual([]);
  });

  it.each(NAMES)('name every setting of %s, and none that it does not read', async (name) => {
    const documented = rows.filter(({ processes }) => processes.includes(name)).flatMap(({ names }) => names);
    expect(documented.sort()).toEqual([...(await settingsOf(name)).keys()].sort());
  });

  it.each(NAMES)('give the defaults of %s', async (name) => {
    const own = await settingsOf(name);
    const wrong = rows
      .filter(({ processes }) => processes.includes(name))
      .flatMap(({ names, standard }) => names.map((setting) => ({ setting, standard, is: own.get(setting) })))
      .filter(({ standard, is }) => is !== undefined && !standard.includes(is));
    expect(wrong).toEqual([]);
  });
});

describe('the examples for managed services', () => {
  const page = read('docs/operations/managed-services.md');
  const blocks = [...page.matchAll(/^```env\n([^]*?)^```$/gm)].map(([, text = '']) =>
    Object.fromEntries(
      text
        .trim()
        .split('\n')
        .map((line) => [...line.split(/=(.*)/s)].slice(0, 2) as [string, string]),
    ),
  );

  it('are some for each kind of server', () => {
    const names = new Set(blocks.flatMap((block) => Object.keys(block)));
    for (const name of ['KAFKA_BROKERS', 'KAFKA_SASL_MECHANISM', 'MONGODB_URL', 'REDIS_URL'])
      expect(names).toContain(name);
  });

  it.each(blocks)(
    '$KAFKA_BROKERS$MONGODB_URL$REDIS_URL is read by the processes that have such a server',
    async (block) => {
      const readers = new Set<string>();
      for (const name of NAMES) {
        const { readConfig } = (await import(resolve(ROOT, PROCESSES[name]))) as { readConfig: Read };
        const config = readConfig({ ...REQUIRED, ...block });
        for (const setting of Object.keys(block)) if (config[setting] !== undefined) readers.add(setting);
      }
      expect([...readers].sort()).toEqual(Object.keys(block).sort());
    },
  );

  it('name each password as its client sends it', () => {
    for (const { MONGODB_URL = '', REDIS_URL = '' } of blocks)
      for (const url of [MONGODB_URL, REDIS_URL].filter(Boolean))
        expect(new URL(url).password).toMatch(/^the-[a-z-]+$/);
  });
});

describe('a page that the generator fills', () => {
  const page = (names: string): string => `<!-- settings: ${names} -->\n<!-- end -->`;

  it.each([
    ['names what no process reads', page('HOST NOT_A_SETTING')],
    ['names a setting twice', page('HOST HOST')],
    ['leaves a setting out', page('HOST')],
  ])('is refused when it %s', async (_, text) => {
    await expect(fillSettings(text)).rejects.toThrow(/NOT_A_SETTING|two tables|in no table/);
  });
});
