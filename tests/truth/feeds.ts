/** Readings of feeds and pools, compared with plain calls of their contracts at each block of a story. */
import { loadArtifact } from '@hindsight/devchain/artifacts.ts';
import { CHAIN } from '@hindsight/devchain/world.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import { readChain, type Chain } from './inquiries.ts';
import type { SeededNode } from './nodes.ts';
import { startServices, type Feeds } from './service.ts';
import { createdBy, planOf, type Step } from './stories.ts';
import { iso, pinnedAt, tryViews, type Fields, type Raw, type View, type ViewTrial } from './views.ts';

const [FEED, POOL] = [createdBy(0), createdBy(2)];
/** Not a contract: it is only in the table of feeds. */
const TOKEN = `0x${'70'.repeat(20)}`;
/** Seconds. geth's blocks have the current time: one heartbeat is shorter than an answer's age there, one longer than any. */
const HEARTBEATS = [30, 1e11];
const WINDOWS = [12, 600_000];

const priceFeed = loadArtifact('PriceFeed');
const set = (answer: number, block: number): Step => [
  FEED,
  priceFeed.interface.encodeFunctionData('set', [answer, block && CHAIN.storyTime + 12 * block]),
];
/** The feed is deployed, answers, is silent, goes below zero and loses its time; the pool is deployed in between. */
const STORY: readonly (readonly Step[])[] = [
  [[null, priceFeed.bytecode]],
  [set(250_000_000, 2)],
  [[null, loadArtifact('PricePool').bytecode]],
  [[null, '0x00']],
  [[null, '0x00']],
  [set(-7, 6), set(99_999_999_999, 6)],
  [set(-201, 7)],
  [set(5, 0)],
  [set(1, 5)],
];

/** The story of feeds. */
export const FEEDS_PLAN = planOf(STORY);

/** Reads the worth of the token at every block. */
export async function tryFeeds(node: SeededNode, network: Network): Promise<ViewTrial> {
  const chain = await readChain(node.url, node.heightOf(CHAIN.story));
  const shared = { network: network.name, tokens: [TOKEN], name: 'a row', source: 'https://example.org' };
  const feeds: Feeds = [
    ...HEARTBEATS.map((heartbeat_seconds) => {
      return { kind: 'chainlink' as const, ...shared, contract: FEED, quote: 'USD', heartbeat_seconds };
    }),
    ...WINDOWS.map((window_seconds) => {
      return { kind: 'uniswap-v3-twap' as const, ...shared, contract: POOL, window_seconds };
    }),
  ];
  const service = await startServices([{ network, urls: [node.url] }], undefined, feeds);
  try {
    const views = [...chain.headers.keys()].map((height) => readsAt(chain, height));
    return await tryViews(node, network, service.url, views);
  } finally {
    await service.stop();
  }
}

function readsAt(chain: Chain, height: number): View {
  const { timestamp } = chain.headers.get(height)!;
  const windows = WINDOWS.map((seconds) => [POOL, 'observe', [[seconds, 0]], height] as const);
  return {
    path: `value/reads?token_address=${TOKEN}&block_height=${height}`,
    calls: [
      [FEED, 'latestRoundData', [], height],
      [FEED, 'decimals', [], height],
      [POOL, 'liquidity', [], height],
      [POOL, 'token0', [], height],
      [POOL, 'token1', [], height],
      ...windows,
    ],
    read: ({ reads, ...facts }) => ({ ...facts, reads: (reads as Fields[]).map(withoutLabels) }),
    expected: ([round, decimals, liquidity, token0, token1, ...observed]) => ({
      ...pinnedAt(chain, height),
      token_address: TOKEN,
      reads: [
        ...HEARTBEATS.map((heartbeat) => roundOf([round, decimals], heartbeat, timestamp)),
        ...WINDOWS.map((seconds, i) => meanOf(observed[i], [liquidity, token0, token1], seconds)),
      ],
    }),
  };
}

/** In the order of names, so that the order of an answer does not matter. */
function withoutLabels({ kind: _, name: __, source: ___, call: ____, ...row }: Fields): Fields {
  return sorted(row);
}

function sorted(row: Fields): Fields {
  return Object.fromEntries(Object.entries(row).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** A round as the feed reports it; its answer counts only with a time. */
function roundOf(
  [round, decimals]: readonly (Raw | undefined)[],
  heartbeat_seconds: number,
  now: number,
): Fields {
  const row = {
    contract: FEED,
    quote: 'USD',
    heartbeat_seconds,
    decimals: firstOf(decimals, Number) ?? null,
  };
  if (!Array.isArray(round)) return sorted({ ...row, answer: null, reason: reasonOf(round) });
  const [id, answer, , updated] = round as bigint[];
  if (updated === 0n) return sorted({ ...row, answer: null, reason: 'no_answer' });
  const age_seconds = now - Number(updated);
  return sorted({
    ...row,
    ...{ answer: String(answer), round_id: String(id), updated_at: iso(Number(updated)), age_seconds },
    reason: age_seconds > heartbeat_seconds ? 'stale' : null,
  });
}

/** The mean tick of a window, rounded down. */
function meanOf(
  observed: Raw | undefined,
  facts: readonly (Raw | undefined)[],
  window_seconds: number,
): Fields {
  const [liquidity, token0, token1] = facts.map((raw) => firstOf(raw, String));
  const there = liquidity === undefined ? {} : { liquidity, token0, token1 };
  const row = { contract: POOL, quote: null, decimals: null, window_seconds, ...there };
  if (!Array.isArray(observed)) {
    const reason = observed === 'reverted' ? 'no_observations' : reasonOf(observed);
    return sorted({ ...row, answer: null, reason });
  }
  const [from, to] = (observed[0] as bigint[]).map(Number);
  const answer = String(Math.floor((to! - from!) / window_seconds));
  return sorted({ ...row, answer, reason: null, tick_cumulatives: [String(from), String(to)] });
}

function firstOf<T>(raw: Raw | undefined, as: (value: unknown) => T): T | undefined {
  return Array.isArray(raw) ? as(raw[0]) : undefined;
}

function reasonOf(raw: Raw | undefined): string {
  return raw === 'nothing' ? 'no_contract' : 'reverted';
}
