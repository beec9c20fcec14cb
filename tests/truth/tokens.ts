/** The list of tokens on an index of a node's chain, against the node's own logs and the plan's contracts. */
import type { Network } from '@hindsight/chain/networks.ts';
import { ask } from '@hindsight/devchain/client.ts';
import { CHAIN, TOKENS, type WorldToken } from '@hindsight/devchain/world.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { firstTokenEvents, inListOrder } from '../support/first-token-events.ts';
import { startTokens } from '../support/tokens-service.ts';
import { noteRoutes } from './asked.ts';
import type { SeededNode } from './nodes.ts';
import type { ServiceTrial } from './views.ts';

/** Text that would change the page around it, as the list has it. */
const SHOWN: Readonly<Record<string, Pick<WorldToken, 'name' | 'symbol'>>> = {
  [TOKENS.script.address]: {
    name: '<script>alert("hindsight")</script>[31mtxt.exe',
    symbol: '<b>& X-Injected: 1',
  },
};
/** Of a page, so that there are several. */
const LIMIT = 5;
const NODE_TIMEOUT_MS = 60_000;

type Fields = Readonly<Record<string, unknown>>;

interface Page {
  readonly next: string | null;
  readonly tokens: readonly Fields[];
}

/** Asks for the whole list, page by page, and for each of its tokens alone. The index reads the state of their first blocks. */
export async function tryTokens(node: SeededNode, network: Network): Promise<ServiceTrial> {
  const dataDir = mkdtempSync(join(tmpdir(), 'truth-tokens-'));
  const service = await startTokens({
    ...{ dataDir, network, nodes: [node.url], nodeTimeoutMs: NODE_TIMEOUT_MS },
    settings: { fromBlock: node.heightOf(CHAIN.story) },
  });
  try {
    const { app, index } = service;
    const final = await ask(node.url, 'eth_getBlockByNumber', 'finalized', false);
    await service.reach(Number((final as { readonly number: string }).number));
    const asked = noteRoutes(app);
    const get = async (url: string): Promise<Fields> => (await app.inject({ method: 'GET', url })).json();
    const root = `/v1/${network.name}/token`;
    const found: Fields[] = [];
    for (let url: string | null = `${root}?limit=${LIMIT}`; url !== null;) {
      const page = (await get(url)) as unknown as Page;
      found.push(...page.tokens);
      url = page.next === null ? null : page.next.slice(page.next.indexOf('/v1/'));
    }
    const expected = await listedUpTo(node, (await index.checkpoint())!.number);
    const faults: string[] = [];
    const compare = (what: string, one: unknown, other: unknown): number => {
      if (isDeepStrictEqual(one, other)) return 1;
      faults.push(`${what}: ${JSON.stringify(one)} instead of ${JSON.stringify(other)}`);
      return 0;
    };
    let right = compare(
      'the list of tokens',
      found,
      expected.map(({ decimals: _, ...entry }) => entry),
    );
    const named = { network_name: network.name, chain_id: network.chainId };
    for (const token of expected) {
      const one = await get(`${root}/single?token_address=${token.token_address}`);
      right += compare(`token ${token.symbol}`, one, { ...named, ...token });
    }
    return { right, refused: 0, faults, asked };
  } finally {
    await service.stop();
    rmSync(dataDir, { recursive: true });
  }
}

/** The plan's tokens whose first event the node's logs have up to a block, in the order of the list. */
async function listedUpTo({ url, heightOf }: SeededNode, last: number) {
  const firstSeen = await firstTokenEvents(url, heightOf(CHAIN.story), last);
  const tokens = Object.values(TOKENS).flatMap((token: WorldToken) => {
    const { address, standard, decimals } = token;
    const { name, symbol } = SHOWN[address] ?? token;
    const block = firstSeen.get(address.toLowerCase());
    if (block === undefined) return [];
    return [{ token_address: address, block_height: block, token_type: standard, name, symbol, decimals }];
  });
  return tokens.sort(inListOrder);
}
