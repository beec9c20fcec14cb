/** `NETWORKS_FILE`: chains of one's own, as a list in JSON. */
import type { Setting } from '@hindsight/kernel/config.ts';
import { NETWORK_NAME } from '@hindsight/kernel/service-settings.ts';
import { jsonListFile } from '@hindsight/kernel/settings-file.ts';
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
type Entry = z.output<typeof entry>;

/**
 * The setting: the path of the file, which is read at once; its entries are the value. A fault names its entry and field,
 * and never shows a value: URLs of nodes carry keys.
 * @param settings those of known networks, which the file must not name
 */
export function networksFile(settings: readonly string[]): Setting<readonly NetworkNodes[] | undefined> {
  const file = z
    .array(entry)
    .min(1)
    .max(MAX_NETWORKS)
    .transform((entries, context) => {
      for (const { at, message } of clashes(entries, settings))
        context.addIssue({ code: 'custom', path: [at], message });
      return entries.map(toNetwork);
    });
  return {
    about: 'path of a JSON file with chains of one’s own: name, chain_id, native_coin, rpc_urls',
    schema: jsonListFile(file, MAX_BYTES).optional(),
  };
}

/** One name or chain id stands for one network. */
function* clashes(
  entries: readonly Entry[],
  settings: readonly string[],
): Generator<{ readonly at: number; readonly message: string }, void> {
  for (const [at, { name, chain_id: id }] of entries.entries()) {
    const known = [...NETWORKS.values()].find((network) => network.name === name || network.chainId === id);
    const earlier = entries.slice(0, at).findIndex((other) => other.name === name || other.chain_id === id);
    if (known !== undefined) {
      const message = `${name} (chain ${id}) clashes with ${known.name}, which has a setting of its own: ${settings.join(', ')}`;
      yield { at, message };
    }
    if (earlier >= 0) yield { at, message: `it has the name or the chain_id of entry ${earlier + 1}` };
  }
}

function toNetwork({
  name,
  chain_id: chainId,
  native_coin: native,
  rpc_urls: urls,
  first_block,
}: Entry): NetworkNodes {
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
