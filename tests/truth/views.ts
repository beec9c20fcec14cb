/**
 * Supply, NFTs, vaults, calls and series, compared with plain `eth_call`s of a client that shares no code
 * with the product.
 */
import {
  askAll,
  blockTag,
  callQuestion,
  type Answer as RawAnswer,
  type Question,
} from '@hindsight/devchain/client.ts';
import { HOLDERS, LANDMARKS, TOKENS } from '@hindsight/devchain/world.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import { dataLength, Interface, keccak256, ZeroAddress } from 'ethers';
import type { Chain } from './inquiries.ts';
import type { SeededNode } from './nodes.ts';
import { untilAnswered } from './patience.ts';
import { ANSWER_WITHIN_MS } from './service.ts';

/** Results of the views: `refused` where the node has no state, and the answer says so. */
export interface ViewTrial {
  readonly right: number;
  readonly refused: number;
  readonly faults: readonly string[];
}

/** The same of a service that this trial has started, with its routes that have answered. */
export interface ServiceTrial extends ViewTrial {
  readonly asked: ReadonlySet<string>;
}

export type Fields = Readonly<Record<string, unknown>>;
/**
 * Result of a plain call: the returned values, nothing as without code, a revert, or the absence of state.
 */
export type Raw = readonly unknown[] | 'nothing' | 'reverted' | 'no-state';

/** A question for the service and for plain calls. */
export interface View {
  /** Within the network, or from the root. */
  readonly path: string;
  /** JSON; or the lines of a stream, whose records are the field `records` of the answer. */
  readonly body?: Fields | string;
  readonly calls: readonly (readonly [
    token: string,
    method: string,
    args: readonly unknown[],
    height: number,
  ])[];
  /** The fields that the answer must have; undefined where it must be a 404. */
  readonly expected: (raws: readonly Raw[]) => Fields | undefined;
  /** Compares an answer with the known values, where the node may have forgotten the rest. */
  readonly agrees?: (raws: readonly Raw[], body: Fields) => boolean;
  /** The compared part of an answer; by default its fields. */
  readonly read?: (body: Fields) => Fields | Promise<Fields>;
}

const ABI = new Interface([
  'function resolver(bytes32) view returns (address)',
  'function addr(bytes32) view returns (address)',
  'function totalSupply() view returns (uint256)',
  'function sharesOf(address) view returns (uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
  'function ownerOf(uint256) view returns (address)',
  'function items(address, uint256) view returns (uint256)',
  'function isApprovedForAll(address, address) view returns (bool)',
  'function convertToAssets(uint256) view returns (uint256)',
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)',
  'function observe(uint32[]) view returns (int56[], uint160[])',
  'function liquidity() view returns (uint128)',
  'function token0() view returns (address)',
  'function token1() view returns (address)',
]);
/** ERC-1155's `balanceOf(address,uint256)`, which has the name of another function. */
const ITEM_BALANCE = '0x00fdd58e';
/** In place of a token's method: the wei of the first argument. */
export const ETHER = 'ether';
const NO_STATE = /historical state|missing trie node|^not supported$/;
const NO_STATE_ANSWER = 'The Ethereum node has no state for this block: an archive node is needed.';
/** Asked in place of a call. */
const CODE = 'eth_getCode';
/** Blocks of the plan between two looks. */
const STEP = 25;
/** One share, in the smallest unit. */
const SHARE = 10n ** 18n;
/** Blocks over the plan's traffic, evenly spread. */
export const SPREAD: readonly number[] = Array.from(
  { length: Math.floor((LANDMARKS.savingsEarn - LANDMARKS.traffic) / STEP) + 1 },
  (_, i) => LANDMARKS.traffic + i * STEP,
);
const WORKERS = 8;

/** All views of a seeded node, but for votes, proofs and those that search logs. */
export function viewsOf(node: SeededNode, chain: Chain): View[] {
  return [...viewsAt(node, chain), ...seriesOf(chain), sharePrices(chain)];
}

/** Asks views of a service on a seeded node. */
export async function tryViews(
  node: SeededNode,
  network: Network,
  service: string,
  views: readonly View[],
): Promise<ViewTrial> {
  let [right, refused] = [0, 0];
  const faults: string[] = [];
  const waiting = views.values();
  const worker = async (): Promise<void> => {
    for (const view of waiting) {
      const raws = await readRaw(node.url, view);
      const path = view.path.startsWith('/') ? view.path : `/v1/${network.name}/${view.path}`;
      const { status, body } = await askJson(service + path, view.body);
      if (raws.includes('no-state')) {
        if (status === 502 && body.message === NO_STATE_ANSWER) refused += 1;
        else if (status === 200 && view.agrees?.(raws, body)) right += 1;
        else faults.push(`${view.path}: ${status} where there is no state`);
        continue;
      }
      const expected = view.expected(raws);
      const isRight =
        expected === undefined
          ? status === 404
          : status === 200 && hasFields((await view.read?.(body)) ?? body, expected);
      if (isRight) right += 1;
      else
        faults.push(
          `${view.path} ${JSON.stringify(view.body ?? '')}: ${status} ${JSON.stringify(body)}`.slice(
            0,
            1_000,
          ),
        );
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  return { right, refused, faults };
}

function hasFields(body: Fields, expected: Fields): boolean {
  return Object.entries(expected).every(
    ([name, value]) => JSON.stringify(body[name]) === JSON.stringify(value),
  );
}

/** Asks a service, and again where it is late; as {@link askOnce}. */
export function askJson(...question: Parameters<typeof askOnce>): ReturnType<typeof askOnce> {
  return untilAnswered(() => askOnce(...question));
}

/** Asks a service; with a body by POST. The answer to lines of text is their records, where it is no error. */
export async function askOnce(
  url: string,
  body?: object | string,
  key?: string,
): Promise<{ status: number; body: Fields }> {
  const isText = typeof body === 'string';
  const type = body && { 'content-type': isText ? 'text/plain' : 'application/json' };
  const headers = { ...type, ...(key && { 'x-api-key': key }) } as Record<string, string>;
  const sent = body && { method: 'POST', body: isText ? body : JSON.stringify(body) };
  const response = await fetch(url, { ...sent, headers, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  const { status } = response;
  if (!isText || status !== 200) return { status, body: (await response.json()) as Fields };
  const lines = (await response.text()).split('\n').filter((line) => line !== '');
  return { status, body: { records: lines.map((line) => JSON.parse(line) as unknown) } };
}

/** Asks the node itself. */
export async function readRaw(url: string, { calls }: Pick<View, 'calls'>): Promise<readonly Raw[]> {
  const encode = remembered(encoded);
  const decode = remembered((method, result: string) => [
    ...(ABI.decodeFunctionResult(method, result) as unknown[]),
  ]);
  const questions = calls.map(([token, method, args, height]): Question => {
    if (method === ETHER) return ['eth_getBalance', args[0], blockTag(height)];
    if (method === CODE) return [CODE, token, blockTag(height)];
    return callQuestion(token, encode(method, args), height);
  });
  const answers = await askAll(url, questions);
  return answers.map((answer, i) => rawOf(calls[i]![1], answer, decode));
}

function encoded(method: string, args: readonly unknown[]): string {
  const data = ABI.encodeFunctionData(method, args);
  return method === 'items' ? ITEM_BALANCE + data.slice(10) : data;
}

/** Converts a method's data once for each text of it: a series has the same call at every height, and few answers. */
function remembered<T extends string | readonly unknown[], U>(
  convert: (method: string, data: T) => U,
): (method: string, data: T) => U {
  const known = new Map<string, U>();
  return (method, data) => {
    const key = `${method} ${String(data)}`;
    if (!known.has(key)) known.set(key, convert(method, data));
    return known.get(key)!;
  };
}

function rawOf(
  method: string,
  { result, error }: RawAnswer,
  decode: (method: string, result: string) => readonly unknown[],
): Raw {
  if (error) return NO_STATE.test(error.message) ? 'no-state' : 'reverted';
  if (method === ETHER) return [BigInt(result as string)];
  if (method === CODE) return [result];
  return result === '0x' ? 'nothing' : decode(method, result as string);
}

export const numberIn = (raw: Raw | undefined): string | undefined =>
  Array.isArray(raw) ? String(raw[0]) : undefined;

/** Views at heights over the whole plan. */
function viewsAt(node: SeededNode, chain: Chain): View[] {
  const { savingsOpen, savingsEarn, late, usdcUpgrade } = LANDMARKS;
  return [savingsOpen, savingsEarn, late, usdcUpgrade, ...SPREAD].flatMap((block) => {
    const height = node.heightOf(block);
    const pinned = pinnedAt(chain, height);
    return [
      ...supplies(height, pinned),
      ...[TOKENS.usdc.address, HOLDERS.alice].map((address) => codeOf(address, height, pinned)),
      ...owners(height, pinned),
      ...items(height, pinned),
      ...vaults(height, pinned),
      ...calls(height, pinned),
    ];
  });
}

/** The fields that name a block. */
export function pinnedAt(chain: Chain, height: number): Fields {
  const { hash, timestamp } = chain.headers.get(height)!;
  const finalized = height <= chain.finalized;
  return { checked_at_block: height, checked_at_date: iso(timestamp), block_hash: hash, finalized };
}

export function iso(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

/** The code of an account, as the node itself has it. */
export function codeOf(address: string, height: number, pinned: Fields): View {
  return {
    path: `code?address=${address}&block_height=${height}`,
    calls: [[address, CODE, [], height]],
    expected([raw]) {
      const [code] = raw as [string];
      return { ...pinned, code_size: dataLength(code), code_hash: code === '0x' ? null : keccak256(code) };
    },
  };
}

function supplies(height: number, pinned: Fields): View[] {
  return Object.values(TOKENS)
    .filter(({ standard }) => standard === 'erc20')
    .map(({ address }) => ({
      path: `supply?token_address=${address}&block_height=${height}`,
      calls: [[address, 'totalSupply', [], height]],
      expected: ([supply]) => {
        const total_supply = numberIn(supply);
        return total_supply === undefined ? undefined : { ...pinned, total_supply };
      },
    }));
}

function owners(height: number, pinned: Fields): View[] {
  const ids = [
    [TOKENS.bayc.address, ['100', '102', '8000', '424242']],
    [TOKENS.kitties.address, ['2', '4', '424242']],
  ] as const;
  return ids.flatMap(([token, own]) =>
    own.map((id): View => ({
      path: `nft/owner?token_address=${token}&token_id=${id}&block_height=${height}`,
      calls: [[token, 'ownerOf', [id], height]],
      expected: ([owner]) => {
        const named = numberIn(owner);
        // Older contracts name the zero address where there is no such token.
        return named === undefined || named === ZeroAddress
          ? undefined
          : { ...pinned, token_id: id, owner: named };
      },
    })),
  );
}

function items(height: number, pinned: Fields): View[] {
  const token = TOKENS.items.address;
  return [HOLDERS.alice, HOLDERS.carol, HOLDERS.erin].map((holder, i) => ({
    path: `nft/balance?token_address=${token}&holder=${holder}&token_id=${i}&block_height=${height}`,
    calls: [[token, 'items', [holder, i], height]],
    expected: ([balance]) => ({ ...pinned, holder, token_id: String(i), balance: numberIn(balance) }),
  }));
}

function vaults(height: number, pinned: Fields): View[] {
  const { address } = TOKENS.savings;
  const asset = TOKENS.uni.address;
  const worth = [
    [address, 'totalSupply', [], height],
    [asset, 'balanceOf', [address], height],
  ] as const;
  return [
    ...[HOLDERS.alice, HOLDERS.bob].map((holder): View => ({
      path: `vault/assets?token_address=${address}&holder=${holder}&block_height=${height}`,
      calls: [[address, 'balanceOf', [holder], height], ...worth],
      expected: ([shares, ...rest]) => {
        const own = numberIn(shares);
        if (own === undefined) return undefined;
        const assets = assetsOf(BigInt(own), rest).toString();
        return { ...pinned, holder, shares: own, assets, asset_address: asset };
      },
    })),
    {
      path: `value/reads?token_address=${address}&block_height=${height}`,
      calls: worth,
      read: ({ reads, ...facts }) => ({
        ...facts,
        reads: (reads as Fields[]).map(({ kind, contract, answer, decimals, quote, reason }) => {
          return { kind, contract, answer, decimals, quote, reason };
        }),
      }),
      expected: (raws) => {
        const isThere = raws[0] !== 'nothing';
        const answer = isThere && assetsOf(SHARE, raws).toString();
        const row = { kind: 'erc4626', contract: address, answer, decimals: 18, quote: asset, reason: null };
        return { ...pinned, token_address: address, reads: isThere ? [row] : [] };
      },
    },
  ];
}

/** The worth of shares by EIP-4626 and OpenZeppelin's rounding. @param raws the supply, and what the vault holds */
export function assetsOf(shares: bigint, [supply, held]: readonly Raw[]): bigint {
  return (shares * (BigInt(numberIn(held)!) + 1n)) / (BigInt(numberIn(supply)!) + 1n);
}

/** Every holder's balance in one request, and the worth of some shares. */
function calls(height: number, pinned: Fields): View[] {
  const view = (
    token: string,
    method: string,
    text: string,
    args: readonly (readonly unknown[])[],
  ): View => ({
    path: 'call',
    body: { target: token, function: text, args, block_height: height },
    calls: args.map((row) => [token, method, row, height]),
    expected: (raws) => {
      // An address without code answers a plain call with nothing.
      if (raws.every((raw) => raw === 'nothing')) return undefined;
      return { ...pinned, results: raws.map((raw) => ({ values: [numberIn(raw)] })) };
    },
  });
  const holders = Object.values(HOLDERS).map((holder) => [holder]);
  return [
    view(TOKENS.uni.address, 'balanceOf', 'balanceOf(address) returns (uint256)', holders),
    view(TOKENS.steth.address, 'balanceOf', 'balanceOf(address who) view returns (uint)', holders),
    view(TOKENS.savings.address, 'convertToAssets', 'convertToAssets(uint256) returns (uint256)', [
      ['1'],
      [`${SHARE}`],
      ['0'],
    ]),
  ];
}

/** One balance at every height of the chain, and at moments between its blocks. */
function seriesOf(chain: Chain): View[] {
  const rows = [
    [TOKENS.uni.address, HOLDERS.alice],
    [TOKENS.steth.address, HOLDERS.bob],
    [TOKENS.usdc.address, HOLDERS.treasury],
    [TOKENS.savings.address, HOLDERS.alice],
    [TOKENS.bayc.address, HOLDERS.carol],
  ] as const;
  const heights = [...chain.headers.keys()].slice(-900);
  const [first, last] = [heights[0]!, heights.at(-1)!];
  return rows.flatMap(([token, holder]) => {
    const path = `balance/series?token_address=${token}&holder=${holder}`;
    return [
      series(
        chain,
        `${path}&from=${first}&to=${last}&step=1`,
        [token, holder],
        heights.map((height) => ({ height, instant: null })),
      ),
      series(
        chain,
        `${path}&from=${iso(timeOf(chain, first))}&to=${iso(timeOf(chain, last))}&points=200`,
        [token, holder],
        moments(chain, first, last, 200),
      ),
    ];
  });
}

/** The price of a vault's share at every height of the chain. */
function sharePrices(chain: Chain): View {
  const { address } = TOKENS.savings;
  const shares = `${SHARE}`;
  const heights = [...chain.headers.keys()].slice(-900);
  const pointOf = (raw: Raw | undefined, i: number): Fields => {
    const { hash, timestamp } = chain.headers.get(heights[i]!)!;
    const values = raw === 'nothing' ? { reason: 'no-contract' } : { values: [numberIn(raw)] };
    return { instant: null, date: iso(timestamp), block: heights[i], block_hash: hash, ...values };
  };
  return {
    path: 'call/series',
    body: {
      ...{ target: address, function: 'convertToAssets(uint256) returns (uint256)', args: [shares] },
      ...{ from: heights[0], to: heights.at(-1), step: 1 },
    },
    calls: heights.map((height) => [address, 'convertToAssets', [shares], height]),
    expected: (raws) => ({ points: raws.map(pointOf) }),
    agrees: (raws, { points }) =>
      (points as readonly Fields[]).every((point, i) => {
        if (raws[i] === 'no-state') return (point.error as Fields | undefined)?.code === 'state_unavailable';
        return JSON.stringify(point) === JSON.stringify(pointOf(raws[i], i));
      }),
  };
}

interface PointMeant {
  readonly height: number;
  readonly instant: number | null;
}

/** Moments spread evenly, each with the last block at or before it by a linear scan. */
function moments(chain: Chain, first: number, last: number, count: number): PointMeant[] {
  const [from, to] = [timeOf(chain, first), timeOf(chain, last)];
  const instants = Array.from(
    { length: count },
    (_, i) => from + Math.round(((to - from) * i) / (count - 1)),
  );
  return [...new Set(instants)].map((instant) => {
    const heights = [...chain.headers.values()].filter(({ timestamp }) => timestamp <= instant);
    return { instant, height: Math.max(...heights.map(({ number }) => number)) };
  });
}

function timeOf({ headers }: Chain, height: number): number {
  return headers.get(height)!.timestamp;
}

/** A series, by the blocks of its points. */
export function series(
  chain: Chain,
  path: string,
  [token, holder]: readonly [string, string],
  points: readonly PointMeant[],
): View {
  return {
    path,
    calls: points.map(({ height }) => [token, 'balanceOf', [holder], height]),
    expected: (raws) => ({
      holder,
      finalized: points.every(({ height }) => height <= chain.finalized),
      points: points.map(({ height, instant }, i) => {
        const balance = numberIn(raws[i]);
        const { hash, timestamp } = chain.headers.get(height)!;
        return {
          instant: instant === null ? null : iso(instant),
          date: iso(timestamp),
          block: height,
          block_hash: hash,
          balance: balance ?? null,
          ...(balance === undefined ? { reason: raws[i] === 'nothing' ? 'no-contract' : 'no-balance' } : {}),
        };
      }),
    }),
  };
}
