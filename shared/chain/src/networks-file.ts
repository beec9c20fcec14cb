/** `NETWORKS_FILE`: chains of one's own, as a list in JSON. */
import { readFileSync, statSync } from 'node:fs';
import type { Setting } from '@hindsight/kernel/config.ts';
import { NETWORK_NAME } from '@hindsight/kernel/service-settings.ts';
import { z } from 'zod';
import { NETWORKS, TODAYS_RULES, type Network } from './networks.ts';
import { isNodeUrl } from './settings.ts';

/** A network, and the URLs of its nodes in order of preference. */
export interface NetworkNodes {
  readonly network: Network;
  readonly urls: readonly string[];
}

const MAX_BYTES = 256 * 1024;
const MAX_NETWORKS = 50;

const entry = z.strictObject({
  name: z.string().regex(NETWORK_NAME, 'expected a name as in a path: small letters, digits and hyphens'),
  chain_id: z.int().positive(),
  native_coin: z.strictObject({ symbol: z.string().min(1).max(20), decimals: z.int().min(0).max(36) }),
  rpc_urls: z
    .array(z.string().refine(isNodeUrl, 'expected a URL beginning with http:// or https://'))
    .min(1)
    .max(20),
  first_block: z.int().nonnegative().default(0),
});
const file = z.array(entry).min(1).max(MAX_NETWORKS);

/**
 * The setting: the path of the file, which is read at once; its entries are the value. A fault names its entry and field,
 * and never shows a value: URLs of nodes carry keys.
 * @param settings those of known networks, which the file must not name
 */
export function networksFile(settings: readonly string[]): Setting<readonly NetworkNodes[] | undefined> {
  const schema = z
    .string()
    .max(4_096, 'expected at most 4096 characters')
    .transform((path, context) => {
      const read = readNetworks(path, settings);
      if ('networks' in read) return read.networks;
      for (const fault of read.faults) context.addIssue({ code: 'custom', message: fault });
      return z.NEVER;
    });
  return {
    about: 'path of a JSON file with chains of one’s own: name, chain_id, native_coin, rpc_urls',
    schema: schema.optional(),
  };
}

type Read = { readonly networks: readonly NetworkNodes[] } | { readonly faults: readonly string[] };

function readNetworks(path: string, settings: readonly string[]): Read {
  const text = readText(path);
  if ('fault' in text) return { faults: [text.fault] };
  const parsed = parse(text.text);
  if (parsed === undefined) return { faults: ['the file holds no JSON'] };
  const { success, data, error } = file.safeParse(parsed);
  if (!success) return { faults: error.issues.slice(0, 10).map(describeIssue) };
  const faults = [...clashes(data, settings)];
  return faults.length > 0 ? { faults } : { networks: data.map(toNetwork) };
}

function readText(path: string): { readonly text: string } | { readonly fault: string } {
  try {
    if (statSync(path).size > MAX_BYTES) return { fault: `the file is larger than ${MAX_BYTES / 1024} KiB` };
    return { text: readFileSync(path, 'utf8') };
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return { fault: `the file cannot be read (${code})` };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Zod's own messages name types and bounds, and no value. */
function describeIssue({ path, message }: z.core.$ZodIssue): string {
  const [at, ...fields] = path;
  if (at === undefined) return `the file: ${message}`;
  const field = fields.length === 0 ? '' : `, ${fields.join('.')}`;
  return `entry ${Number(at) + 1}${field}: ${message}`;
}

/** One name or chain id stands for one network. */
function* clashes(
  entries: readonly z.output<typeof entry>[],
  settings: readonly string[],
): Generator<string, void> {
  for (const [at, { name, chain_id: id }] of entries.entries()) {
    const known = [...NETWORKS.values()].find((network) => network.name === name || network.chainId === id);
    const earlier = entries.slice(0, at).findIndex((other) => other.name === name || other.chain_id === id);
    if (known !== undefined)
      yield `entry ${at + 1}: ${name} (chain ${id}) clashes with ${known.name}, which has a setting of its own: ${settings.join(', ')}`;
    if (earlier >= 0) yield `entry ${at + 1}: it has the name or the chain_id of entry ${earlier + 1}`;
  }
}

function toNetwork({
  name,
  chain_id: chainId,
  native_coin: native,
  rpc_urls: urls,
  first_block,
}: z.output<typeof entry>): NetworkNodes {
  const network = {
    name,
    chainId,
    native,
    byzantiumBlock: 0,
    firstBlock: first_block,
    rules: [TODAYS_RULES],
    tokenTypes: {},
  } as const;
  return { network, urls };
}
