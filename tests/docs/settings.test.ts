/** The tables of settings in docs/operations.md against what each process reads: names, processes, defaults. */
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { codeIn, read, ROOT } from './pages.ts';

/** Where each process of the tables reads its settings. */
const PROCESSES = {
  gateway: 'services/gateway/src/config.ts',
  balance: 'services/balance/src/config.ts',
  tokens: 'services/tokens/src/config.ts',
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

/** What has no default. */
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

const OPERATIONS = read('docs/operations.md');

/** A table's rows, each cell without the space around it. */
function rowsBelow(head: string): string[][] {
  const [, table = ''] = new RegExp(`^\\| ${head} .*\\n((?:\\|.*\\n)+)`, 'm').exec(OPERATIONS) ?? [];
  const lines = table.trimEnd().split('\n').slice(1);
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

const settings: Row[] = rowsBelow('variable +\\| for').map(([names = '', processes = '', standard = '']) => ({
  names: codeIn(names).filter((name) => !name.endsWith('*')),
  processes: processes === 'all' ? ALL : processes.split(', '),
  standard,
}));
const indexing: Row[] = rowsBelow('variable +\\| default').map(([names = '', standard = '']) => ({
  names: codeIn(names),
  processes: ['tokens', 'one process'],
  standard,
}));
const rows = [...settings, ...indexing];

describe('the tables of settings', () => {
  it('describe each setting', () => {
    const unsaid = rowsBelow('variable').filter((cells) => cells.some((cell) => cell === ''));
    expect(unsaid).toEqual([]);
    expect(rowsBelow('variable').filter((cells) => cells.length !== 4)).toEqual([]);
  });

  it.each(NAMES)('name every setting of %s, and none that it does not read', async (name) => {
    const documented = rows.filter(({ processes }) => processes.includes(name)).flatMap(({ names }) => names);
    expect(documented.sort()).toEqual([...(await settingsOf(name)).keys()].sort());
  });

  it.each(NAMES)('state the defaults of %s', async (name) => {
    const own = await settingsOf(name);
    const wrong = rows
      .filter(({ processes }) => processes.includes(name))
      .flatMap(({ names, standard }) => names.map((setting) => ({ setting, standard, is: own.get(setting) })))
      .filter(({ standard, is }) => is !== undefined && !standard.includes(is));
    expect(wrong).toEqual([]);
  });
});
