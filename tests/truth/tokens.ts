/** The list of tokens on an index of a node's chain, against the node's own logs and the plan's contracts. */
import { openNode } from '@hindsight/chain/pool/open-node.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import { ask, blockTag } from '@hindsight/devchain/client.ts';
import { CHAIN, TOKENS, type WorldToken } from '@hindsight/devchain/world.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { createTokens, openTokenIndex, startIndexing } from '@hindsight/tokens/service.ts';
import { id } from 'ethers';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { noteRoutes } from './asked.ts';
import type { SeededNode } from './nodes.ts';
import type { ServiceTrial } from './views.ts';

const TOPICS = [
  'Transfer(address,address,uint256)',
  'TransferSingle(address,address,address,uint256,uint256)',
  'TransferBatch(address,address,address,uint256[],uint256[])',
].map(id);
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
  const lifecycle = createLifecycle(createLogger({ name: 'truth', level: 'silent' }));
  try {
    const { app, indexed } = await startTokens(node, network, dataDir, lifecycle);
    const asked = noteRoutes(app);
    const get = async (url: string): Promise<Fields> => (await app.inject({ method: 'GET', url })).json();
    const root = `/v1/${network.name}/token`;
    const found: Fields[] = [];
    for (let url: string | null = `${root}?limit=${LIMIT}`; url !== null;) {
      const page = (await get(url)) as unknown as Page;
      found.push(...page.tokens);
      url = page.next === null ? null : page.next.slice(page.next.indexOf('/v1/'));
    }
    const expected = await listedUpTo(node, indexed);
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
    await lifecycle.shutdown('the end of the trial');
    rmSync(dataDir, { recursive: true });
  }
}

/** Starts the service, and indexes the chain as far as it is final. */
async function startTokens(
  { url, heightOf }: SeededNode,
  network: Network,
  dataDir: string,
  lifecycle: Lifecycle,
): Promise<{ readonly app: HttpServer; readonly indexed: number }> {
  const logger = createLogger({ name: 'truth', level: 'silent' });
  const platform = { logger, lifecycle, clock: systemClock, ids: randomIds, telemetry: createTelemetry() };
  const index = await openTokenIndex(network, { dataDir }, lifecycle);
  const node = await openNode({ urls: [url], timeoutMs: NODE_TIMEOUT_MS }, network, { logger, lifecycle });
  const settings = { fromBlock: heightOf(CHAIN.story), pollMs: 50 };
  startIndexing({ ...platform, index, network, node, settings });
  const final = await ask(url, 'eth_getBlockByNumber', 'finalized', false);
  const last = Number((final as { readonly number: string }).number);
  await until('the list reaches the last final block', async () => {
    const checkpoint = await index.checkpoint();
    return checkpoint !== null && checkpoint.number >= last;
  });
  const { number } = (await index.checkpoint())!;
  return { app: createTokens({ lists: [{ network, list: index }], ...platform }), indexed: number };
}

/** The plan's tokens whose first event the node's logs have up to a block, in the order of the list. */
async function listedUpTo({ url, heightOf }: SeededNode, last: number) {
  const range = { fromBlock: blockTag(heightOf(CHAIN.story)), toBlock: blockTag(last) };
  const logs = (await ask(url, 'eth_getLogs', { ...range, topics: [TOPICS] })) as readonly {
    readonly address: string;
    readonly blockNumber: string;
  }[];
  const firstSeen = new Map<string, number>();
  for (const { address, blockNumber } of logs)
    if (!firstSeen.has(address)) firstSeen.set(address, Number(blockNumber));
  const tokens = Object.values(TOKENS).flatMap((token: WorldToken) => {
    const { address, standard, decimals } = token;
    const { name, symbol } = SHOWN[address] ?? token;
    const block = firstSeen.get(address.toLowerCase());
    if (block === undefined) return [];
    return [{ token_address: address, block_height: block, token_type: standard, name, symbol, decimals }];
  });
  const place = ({ block_height: block, token_address: address }: (typeof tokens)[number]): string =>
    `${String(block).padStart(12, '0')} ${address.toLowerCase()}`;
  return tokens.sort((one, other) => (place(one) < place(other) ? -1 : 1));
}
