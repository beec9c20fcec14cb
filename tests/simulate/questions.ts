/** Questions about the chain, and whether an answer is true: of the block that it names, and that one meant. */
import { FIRST, HOLDERS, TOKENS, type Chain, type ChainBlock } from './chain/blocks.ts';
import type { Answer } from './http.ts';
import type { Machine } from './machine/machine.ts';
import type { Entry, Page, TokenList } from './token-list.ts';

/** A question, and the most that it may cost. */
export interface Question {
  readonly path: string;
  readonly units: number;
  /** Tells what is false about an answer: undefined where nothing is. An error of the server claims nothing. */
  readonly falsehoodIn?: (answer: Answer) => string | undefined;
}

interface Deps {
  readonly machine: Machine;
  readonly chain: Chain;
  readonly list: TokenList;
  /** The moment until which a fault or what it left behind may last. */
  readonly busyUntil: () => number;
}

/** The block that is asked about. */
type When =
  | { readonly kind: 'latest' }
  | { readonly kind: 'height'; readonly height: number }
  | { readonly kind: 'hash'; readonly hash: string }
  /** Unix seconds, long ago. */
  | { readonly kind: 'date'; readonly seconds: number };

type Fields = Readonly<Record<string, unknown>>;

const NETWORK = '/v1/eth-mainnet';
/** Blocks below the head that are asked about by date: deeper than any node is behind. */
const LONG_AGO = 80;
/** A block that no node has had as its head, or called canonical, for this long is no answer: without and with faults. */
const AGE_MS = 15_000;
const AGE_UNDER_FAULTS_MS = 400_000;
const MOST_ON_PAGE = 100;
/** An order that no service has. */
const PLAIN = { path: `${NETWORK}/orders/0x${'11'.repeat(32)}`, units: 1 } as const;
const PLAIN_SHARE = 0.3;
const TOKENS_SHARE = 0.2;

/** Draws a question. Some go to services that are not simulated, which answer anything. */
export function drawQuestion(deps: Deps): Question {
  const { machine } = deps;
  const { random } = machine;
  if (random.chance(PLAIN_SHARE)) return PLAIN;
  if (random.chance(TOKENS_SHARE)) return drawTokenQuestion(deps);
  const holder = random.pick(HOLDERS);
  const token = random.pick(TOKENS);
  const when = drawWhen(deps);
  const askedAt = machine.now;
  const ask = (
    endpoint: string,
    units: number,
    parameters: Readonly<Record<string, string>>,
    read: (block: ChainBlock, body: Fields) => string | undefined,
  ): Question => ({
    path: `${NETWORK}/${endpoint}?${new URLSearchParams({ ...parameters, ...inQuery(when) }).toString()}`,
    units,
    falsehoodIn: ({ status, body }) => judge({ ...deps, when, askedAt, read }, status, body),
  });
  const amount = (block: ChainBlock, body: Fields, of?: string): string | undefined =>
    differs('balance', body.balance, String(block.amountOf(holder, of)));
  const draws = [
    () => ask('balance/single', 1, { holder, token_address: token }, (...at) => amount(...at, token)),
    () => ask('balance/native', 1, { holder }, (...at) => amount(...at)),
    () => ask('block', 1, {}, (block, body) => differs('parent', body.parent_hash, block.parentHash)),
    () => ask('portfolio', 5, { holder }, (block, body) => falsehoodInList(block, holder, body)),
  ];
  return random.pick(draws)();
}

/** A page of the list of tokens, or one of them. */
function drawTokenQuestion({ machine: { random }, list }: Deps): Question {
  const before = list.mostListed;
  const { final } = list;
  const place = random.below(final.length);
  if (random.chance(0.5)) {
    const limit = 1 + random.below(MOST_ON_PAGE);
    const page = 1 + Math.floor(place / limit);
    return {
      path: `${NETWORK}/token?page=${page}&limit=${limit}`,
      units: 1,
      falsehoodIn: ({ status, body }) => {
        if (status === 200) return list.falsehoodInPage(JSON.parse(body) as Page, before);
        return claimsNothing(status) ? undefined : `${status}: ${body}`;
      },
    };
  }
  return {
    path: `${NETWORK}/token/single?token_address=${final[place]!.address}`,
    units: 1,
    falsehoodIn: ({ status, body }) => {
      if (status === 200) return list.falsehoodInToken(JSON.parse(body) as Entry, place, before);
      if (status === 404) return list.falsehoodInToken(undefined, place, before);
      return claimsNothing(status) ? undefined : `${status}: ${body}`;
    },
  };
}

function drawWhen({ machine: { random }, chain }: Deps): When {
  const { tip } = chain;
  const recent = tip.number - random.below(12) + 2;
  const old = FIRST + random.below(tip.number - FIRST);
  return random.pick<() => When>([
    () => ({ kind: 'latest' }),
    () => ({ kind: 'height', height: recent }),
    () => ({ kind: 'height', height: old }),
    () => ({ kind: 'hash', hash: chain.at(Math.min(recent, tip.number))!.hash }),
    () => ({
      kind: 'date',
      seconds: chain.at(tip.number - LONG_AGO - random.below(tip.number - LONG_AGO - FIRST))!.timestamp + 5,
    }),
  ])();
}

function inQuery(when: When): Record<string, string> {
  switch (when.kind) {
    case 'latest':
      return {};
    case 'height':
      return { block_height: String(when.height) };
    case 'hash':
      return { block_hash: when.hash };
    case 'date':
      return { date: new Date(when.seconds * 1000).toISOString() };
  }
}

/** True of a status that says nothing about the chain. */
function claimsNothing(status: number): boolean {
  return status >= 500 || status === 429;
}

interface Judged extends Deps {
  readonly when: When;
  readonly askedAt: number;
  readonly read: (block: ChainBlock, body: Fields) => string | undefined;
}

function judge(judged: Judged, status: number, text: string): string | undefined {
  if (claimsNothing(status)) return undefined;
  const { when, chain } = judged;
  if (status === 404 && when.kind === 'hash') {
    const block = chain.find(when.hash)!;
    return chain.isFinal(block) ? `404 for the final block ${block.number}` : undefined;
  }
  if (status === 404 && when.kind === 'height') {
    const head = Number(/the latest block is (\d+)/.exec(text)?.[1]);
    return when.height > head ? undefined : `404 for block ${when.height}: ${text}`;
  }
  if (status !== 200) return `${status}: ${text}`;
  const body = JSON.parse(text) as Fields;
  const block = chain.find(String(body.block_hash));
  if (block === undefined) return `it names the block ${String(body.block_hash)}, which was never one`;
  return (
    differs('height', body.checked_at_block ?? body.block_number, block.number) ??
    differs('date', body.checked_at_date ?? body.date, new Date(block.timestamp * 1000).toISOString()) ??
    (body.finalized === true && !chain.isFinal(block) ? `block ${block.number} is not final` : undefined) ??
    notMeant(judged, block) ??
    judged.read(block, body)
  );
}

/** Tells why a block is not the one that was asked for. */
function notMeant(
  { when, askedAt, machine, chain, busyUntil }: Judged,
  block: ChainBlock,
): string | undefined {
  const age = busyUntil() < askedAt ? AGE_MS : AGE_UNDER_FAULTS_MS;
  const isOld = (holders: number, until: number): boolean => holders === 0 && until < askedAt - age;
  const of = `block ${block.number}, at ${machine.now.toFixed(0)} ms,`;
  if (isOld(block.canonicalNodes, block.canonicalUntil)) return `${of} had long been reorganised away`;
  switch (when.kind) {
    case 'latest':
      return isOld(block.headNodes, block.headUntil) ? `${of} had long not been the head` : undefined;
    case 'height':
      return differs('height', block.number, when.height);
    case 'hash':
      return differs('hash', block.hash, when.hash);
    case 'date':
      return differs('height', block.number, chain.atTime(when.seconds)?.number);
  }
}

/** A list that is said to be complete has each token; no list has a wrong amount. */
function falsehoodInList(block: ChainBlock, holder: string, body: Fields): string | undefined {
  const { tokens, asked, native_balance: wei } = body as unknown as Portfolio;
  const listed = new Map(tokens.map((row) => [row.token_address.toLowerCase(), row.balance]));
  const missing = TOKENS.filter((token) => block.amountOf(holder, token) > 0n && !listed.has(token));
  const silent = missing.filter((token) => !asked.unread.includes(token));
  const wrong = [...listed].map(([token, balance]) =>
    differs(`balance of ${token}`, balance, String(block.amountOf(holder, token))),
  );
  if (asked.complete && silent.length > 0)
    return `the list of block ${block.number} is said to be complete, and lacks ${silent.join(', ')}`;
  return (
    differs('ether', wei, String(block.amountOf(holder))) ??
    wrong.find((falsehood) => falsehood !== undefined)
  );
}

interface Portfolio {
  readonly native_balance: string;
  readonly tokens: readonly { readonly token_address: string; readonly balance: string }[];
  readonly asked: { readonly complete: boolean; readonly unread: readonly string[] };
}

function differs(what: string, found: unknown, truth: unknown): string | undefined {
  return found === truth ? undefined : `${what} ${String(found)}, not ${String(truth)}`;
}
