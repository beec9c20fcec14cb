/** Fills the tables of docs/operations/settings.md from the settings that each process declares in its config.ts. */
import type { Settings } from '@hindsight/kernel/config.ts';

const ROOT = new URL('../../', import.meta.url);

/** Declarations of each process's settings. */
const PROCESSES = {
  gateway: 'services/gateway/src/config.ts',
  balance: 'services/balance/src/config.ts',
  tokens: 'services/tokens/src/config.ts',
  holders: 'services/holders/src/config.ts',
  orders: 'services/orders/src/config.ts',
  metering: 'services/metering/src/config.ts',
  portal: 'services/portal/src/config.ts',
  'one process': 'standalone/src/config.ts',
  admin: 'standalone/src/admin/config.ts',
} as const;
/** "all" in a table: every process that serves. */
const SERVERS = Object.keys(PROCESSES).filter((name) => name !== 'admin');

interface Declared {
  readonly process: string;
  readonly about: string;
  readonly standard: string;
}

/** Between its two comments a table lists the variables that the first one names. */
const TABLE = /(<!-- settings: ([A-Z_ \n]+) -->\n)[\s\S]*?(<!-- end -->)/g;
const HEAD = ['variable', 'read by', 'default', 'for'];

/**
 * The page with its tables filled.
 * @throws if a table names a variable that no process reads, or a setting is in no table
 */
export async function fillSettings(page: string): Promise<string> {
  const declared = await allSettings();
  const missing = new Set(declared.keys());
  const filled = page.replace(TABLE, (_, start: string, names: string, end: string) => {
    const rows = names.split(/\s+/).flatMap((name) => {
      if (!missing.delete(name)) throw new Error(`${name} is no setting, or is in two tables`);
      return rowsOf(name, declared.get(name) ?? []);
    });
    return `${start}\n${tableOf(rows)}\n${end}`;
  });
  if (missing.size > 0) throw new Error(`in no table of the page: ${[...missing].join(', ')}`);
  return filled;
}

async function allSettings(): Promise<Map<string, Declared[]>> {
  const all = new Map<string, Declared[]>();
  for (const [process, path] of Object.entries(PROCESSES)) {
    const { SETTINGS } = (await import(new URL(path, ROOT).href)) as { SETTINGS: Settings };
    for (const [name, { about, schema, unless }] of Object.entries(SETTINGS)) {
      const absent = schema.safeParse(undefined);
      const isNeeded = !absent.success || unless !== undefined;
      const standard = isNeeded
        ? `**must be set**${unless ? ', or another network’s' : ''}`
        : shown(absent.data);
      all.set(name, [...(all.get(name) ?? []), { process, about, standard }]);
    }
  }
  return all;
}

function shown(value: unknown): string {
  if (typeof value === 'boolean') return value ? '`on`' : '`off`';
  return typeof value === 'string' || typeof value === 'number' ? `\`${value}\`` : 'none';
}

function rowsOf(name: string, declared: readonly Declared[]): string[][] {
  const purposes = Map.groupBy(declared, ({ about }) => about);
  return [...purposes].map(([about, same]) => [
    `\`${name}\``,
    namesOf(same),
    defaultOf(same),
    about.replaceAll('|', '\\|'),
  ]);
}

function namesOf(declared: readonly Declared[]): string {
  const names = declared.map(({ process }) => process);
  const isAll = names.length === SERVERS.length && names.every((name) => SERVERS.includes(name));
  return isAll ? 'all' : names.join(', ');
}

/** One value, or each with the processes that have it. */
function defaultOf(declared: readonly Declared[]): string {
  const values = [...Map.groupBy(declared, ({ standard }) => standard)];
  if (values.length === 1) return values[0]?.[0] ?? '';
  return values.map(([value, same]) => `${value}: ${namesOf(same)}`).join('; ');
}

/** Prettier would pad each cell to the longest of its column. */
function tableOf(rows: readonly (readonly string[])[]): string {
  const lines = [HEAD, HEAD.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `<!-- prettier-ignore -->\n${lines.join('\n')}\n`;
}
