/**
 * The service of holders on an index of a node's chain: its lists and files, the largest holders and their number over time
 * against the plan's ledger, its transfers against the node's own logs.
 */
import { openNode } from '@hindsight/chain/pool/open-node.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import { ask, blockTag } from '@hindsight/devchain/client.ts';
import { Dice } from '@hindsight/devchain/dice.ts';
import type { Plan } from '@hindsight/devchain/plan-format.ts';
import { CHAIN, TOKENS, type WorldToken } from '@hindsight/devchain/world.ts';
import { ALL_TOKENS, createHolders, openHolderIndex } from '@hindsight/holders/service.ts';
import { connectService } from '@hindsight/http/http-service.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { id, ZeroAddress } from 'ethers';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readParquet } from '../../services/holders/test/support/read-parquet.ts';
import { holdersAt } from '../support/ledger-holders.ts';
import { noteRoutes } from './asked.ts';
import type { SeededNode } from './nodes.ts';
import type { ServiceTrial } from './views.ts';

/** A node, and the balance service on it. */
interface Subject {
  readonly node: SeededNode;
  readonly network: Network;
  readonly plan: Plan;
  readonly balanceUrl: string;
}

const ITEM_IDS = [0n, 1n, 2n];
const PATIENCE_MS = 60_000;
/** Pages that do not end with the lists. */
const PAGE = '7';

/** Asks for the holders of every token, and id, at this many heights at random; the same ones each time. */
export async function tryHolders(subject: Subject, heights: number): Promise<ServiceTrial> {
  const { node, network, plan } = subject;
  const dataDir = mkdtempSync(join(tmpdir(), 'truth-holders-'));
  const lifecycle = createLifecycle(createLogger({ name: 'truth', level: 'silent' }));
  const faults: string[] = [];
  let [right, refused] = [0, 0];
  let asked: ReadonlySet<string>;
  const note = (what: string, verdict: Verdict): void => {
    if (verdict === 'right') right += 1;
    else if (verdict === 'refused') refused += 1;
    else faults.push(`${what}: ${verdict.fault}`);
  };
  try {
    const service = await startHolders(subject, dataDir, lifecycle);
    asked = noteRoutes(service);
    const of = { service, network, node };
    const dice = new Dice(7);
    for (const asset of ASSETS) {
      const { token, itemId } = asset;
      for (let i = 0; i < heights; i++) {
        const block = token.since + dice.roll(CHAIN.head - token.since + 1);
        const held = holdersAt(plan.ledger, token.address, block, itemId);
        const truth = held.map(([holder, amount]): Holding => [holder, amount.toString()]);
        const what = `${token.symbol} ${itemId ?? ''} at ${block}`;
        note(`holders of ${what}`, await judgeList(of, asset, node.heightOf(block), truth));
        if (i % 10 !== 0) continue;
        note(`largest of ${what}`, await judgeLargest(of, asset, node.heightOf(block), truth));
        note(`file of ${what}`, await judgeFile(of, asset, node.heightOf(block), truth));
        note(`holders up to ${what}`, await judgeSeries(of, asset, plan, block));
      }
    }
    for (const token of Object.values(TOKENS))
      note(`transfers of ${token.symbol}`, await judgeTransfers(of, token));
  } finally {
    await lifecycle.shutdown('the end of the trial');
    rmSync(dataDir, { recursive: true });
  }
  return { right, refused, faults, asked };
}

/** A token, or an id of the ERC-1155. */
interface Asset {
  readonly token: WorldToken;
  readonly itemId: bigint | undefined;
}

const ASSETS: readonly Asset[] = Object.values(TOKENS).flatMap((token: WorldToken): Asset[] =>
  token.standard === 'erc1155'
    ? ITEM_IDS.map((itemId) => ({ token, itemId }))
    : [{ token, itemId: undefined }],
);

interface Asked {
  readonly service: HttpServer;
  readonly network: Network;
  readonly node: SeededNode;
}

type Verdict = 'right' | 'refused' | { readonly fault: string };
type Holding = readonly [holder: string, balance: string];

async function startHolders(
  { node, network, plan, balanceUrl }: Subject,
  dataDir: string,
  lifecycle: ReturnType<typeof createLifecycle>,
): Promise<HttpServer> {
  const logger = createLogger({ name: 'truth', level: 'silent' });
  const balance = connectService('balance', balanceUrl);
  lifecycle.onStop('balance', () => balance.close());
  const bounds = { memoryMb: 128, threads: 1 };
  return createHolders({
    index: await openHolderIndex(network, { dataDir, bounds }, lifecycle),
    tracks: [ALL_TOKENS],
    network,
    node: await openNode({ urls: [node.url], timeoutMs: PATIENCE_MS }, network, { logger, lifecycle }),
    ...{ balance, logger, lifecycle, clock: systemClock, ids: randomIds },
    telemetry: createTelemetry('truth'),
    settings: { fromBlock: node.heightOf(plan.genesis.number), pollMs: 50 },
    ...{ lazily: true, firstMs: PATIENCE_MS, deadlineMs: PATIENCE_MS },
  });
}

const NO_STATE = 'state_unavailable';

async function judgeList(
  of: Asked,
  asset: Asset,
  height: number,
  truth: readonly Holding[],
): Promise<Verdict> {
  const found: Holding[] = [];
  for (let after: string | null = ''; after !== null;) {
    const query = { ...queryOf(asset, height), limit: PAGE, ...(after === '' ? {} : { after }) };
    const { status, text } = await get(of, 'token/holders', query);
    if (status !== 200) return refusalOf(status, text);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const { record, holder, balance } of lines)
      if (record === 'holder') found.push([holder as string, balance as string]);
    const end = lines.at(-1)!;
    if (end.record !== 'end' || end.errors !== 0) return { fault: text.slice(-300) };
    if (lines[0]!.checked_at_block !== height)
      return { fault: `block ${String(lines[0]!.checked_at_block)}` };
    after = end.next as string | null;
  }
  return same(found, truth);
}

async function judgeLargest(
  of: Asked,
  asset: Asset,
  height: number,
  truth: readonly Holding[],
): Promise<Verdict> {
  const { status, text } = await get(of, 'token/holders', {
    ...queryOf(asset, height),
    order: 'balance',
    limit: PAGE,
  });
  if (status !== 200) return refusalOf(status, text);
  const { holders, holder_count: count } = JSON.parse(text) as {
    readonly holders: readonly { readonly holder: string; readonly balance: string }[];
    readonly holder_count: number;
  };
  const bySize = truth.toSorted(([, one], [, other]) =>
    BigInt(one) > BigInt(other) ? -1 : one === other ? 0 : 1,
  );
  const expected = bySize.slice(0, Number(PAGE));
  return same(
    [count, ...holders.map(({ holder, balance }) => [holder, balance])],
    [truth.length, ...expected],
  );
}

async function judgeFile(
  of: Asked,
  asset: Asset,
  height: number,
  truth: readonly Holding[],
): Promise<Verdict> {
  const { status, text, bytes } = await get(of, 'token/holders/export', queryOf(asset, height), 'POST');
  if (status !== 200) return refusalOf(status, text);
  const { rows } = await readParquet(bytes);
  return same(
    rows.map(([holder, balance, , block, error]) => [holder, balance, block, error]),
    truth.map((held) => [...held, String(height), null]),
  );
}

/** Compares the points that are blocks of the plan: both ends, and where a node makes no others, all. */
async function judgeSeries(of: Asked, asset: Asset, { ledger }: Plan, last: number): Promise<Verdict> {
  const { token, itemId } = asset;
  const { heightOf } = of.node;
  const from = String(heightOf(CHAIN.genesis));
  const { block_height: to = '', ...query } = queryOf(asset, heightOf(last));
  const { status, text } = await get(of, 'token/holders/series', { ...query, from, to, points: '4' });
  if (status !== 200) return refusalOf(status, text);
  const { points } = JSON.parse(text) as { readonly points: readonly SeriesPoint[] };
  const ends = [points[0]?.block, points.at(-1)?.block].map(String);
  if (!isDeepStrictEqual(ends, [from, to])) return { fault: `from block ${ends.join(' to ')}` };
  const planned = new Map<number, number>();
  for (let block: number = CHAIN.genesis; block <= last; block++) planned.set(heightOf(block), block);
  const known = points.filter(({ block }) => planned.has(block));
  // A node may have the code of contracts from its first block on, before the plan makes them: 0 then, not null.
  const countAt = (block: number): number =>
    block < token.since ? 0 : holdersAt(ledger, token.address, block, itemId).length;
  return same(
    known.map(({ block, holders, errors }) => [block, holders ?? 0, errors]),
    known.map(({ block }) => [block, countAt(planned.get(block)!), 0]),
  );
}

interface SeriesPoint {
  readonly block: number;
  readonly holders: number | null;
  readonly errors: number;
}

/** Topics of the node's own logs, and the places of sender and receiver among words. */
const MOVES: Readonly<Record<string, readonly [from: number | null, to: number | null]>> = {
  [id('Transfer(address,address,uint256)')]: [0, 1],
  [id('Deposit(address,uint256)')]: [null, 0],
  [id('Withdrawal(address,uint256)')]: [0, null],
  [id('TransferSingle(address,address,address,uint256,uint256)')]: [1, 2],
  [id('TransferBatch(address,address,address,uint256[],uint256[])')]: [1, 2],
};

interface RawLog {
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: string;
  readonly logIndex: string;
}

async function judgeTransfers(of: Asked, { address }: WorldToken): Promise<Verdict> {
  const found: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = {
      token_address: address,
      order: 'oldest',
      limit: '50',
      ...(cursor === '' ? {} : { cursor }),
    };
    const { status, text } = await get(of, 'transfers', query);
    if (status !== 200) return refusalOf(status, text);
    const page = JSON.parse(text) as { next: string | null; transfers: Record<string, string>[] };
    for (const { block, log_index, from, to } of page.transfers)
      found.push([block, log_index, from!.toLowerCase(), to!.toLowerCase()]);
    cursor = page.next;
  }
  // Not from `earliest`: anvil looks for each block below its first one, which may be 500 million.
  const fromBlock = blockTag(of.node.heightOf(CHAIN.genesis));
  const filter = { address, topics: [Object.keys(MOVES)], fromBlock, toBlock: 'latest' };
  const logs = (await ask(of.node.url, 'eth_getLogs', filter)) as RawLog[];
  return same(unique(found), unique(logs.map(moveOf)));
}

/** A batch has a row for each id. */
function unique(rows: readonly unknown[]): readonly unknown[] {
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
}

function moveOf({ topics: [topic = '', ...indexed], data, blockNumber, logIndex }: RawLog): unknown {
  const words = [...indexed, ...(data.slice(2).match(/.{64}/g) ?? [])];
  const account = (at: number | null): string => (at === null ? ZeroAddress : `0x${words[at]!.slice(-40)}`);
  const [from, to] = MOVES[topic]!;
  return [Number(blockNumber), Number(logIndex), account(from), account(to)];
}

function queryOf({ token, itemId }: Asset, height: number): Record<string, string> {
  const ofItem = itemId === undefined ? {} : { token_id: itemId.toString() };
  return { token_address: token.address, block_height: String(height), ...ofItem };
}

async function get(
  { service, network }: Asked,
  path: string,
  query: Readonly<Record<string, string>>,
  method: 'GET' | 'POST' = 'GET',
): Promise<{ readonly status: number; readonly text: string; readonly bytes: Uint8Array }> {
  const url = `/v1/${network.name}/${path}?${new URLSearchParams(query).toString()}`;
  const { statusCode, payload, rawPayload } = await service.inject({ method, url });
  return { status: statusCode, text: payload, bytes: rawPayload };
}

function refusalOf(status: number, text: string): Verdict {
  const { code } = JSON.parse(text) as { readonly code?: string };
  return status === 502 && code === NO_STATE ? 'refused' : { fault: `${status} ${text.slice(0, 300)}` };
}

function same(found: readonly unknown[], expected: readonly unknown[]): Verdict {
  if (isDeepStrictEqual(found, expected)) return 'right';
  return {
    fault: `${JSON.stringify(found).slice(0, 300)} instead of ${JSON.stringify(expected).slice(0, 300)}`,
  };
}
