/** Questions about the chain, and the falsehoods in answers to them. */
import { FIRST, HOLDERS, TOKENS, type ChainBlock } from './chain/blocks.ts';
import {
  claimsNothing,
  differs,
  judge,
  NETWORK,
  type Fields,
  type Question,
  type QuestionDeps,
  type When,
} from './judge.ts';
import { drawSeriesQuestion } from './series.ts';
import type { Entry, Page } from './token-list.ts';

/** Blocks below the head that are asked about by date: deeper than any node is behind. */
const LONG_AGO = 80;
const MOST_ON_PAGE = 100;
/** An order that no service has. */
const PLAIN = { path: `${NETWORK}/orders/0x${'11'.repeat(32)}`, units: 1 } as const;
const PLAIN_SHARE = 0.3;
const TOKENS_SHARE = 0.2;
const SERIES_SHARE = 0.15;

/** Draws a question. Some go to services that are not simulated, which answer anything. */
export function drawQuestion(deps: QuestionDeps): Question {
  const { machine } = deps;
  const { random } = machine;
  if (random.chance(PLAIN_SHARE)) return PLAIN;
  if (random.chance(TOKENS_SHARE)) return drawTokenQuestion(deps);
  if (random.chance(SERIES_SHARE)) return drawSeriesQuestion(deps);
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
function drawTokenQuestion({ machine: { random }, list }: QuestionDeps): Question {
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

function drawWhen({ machine: { random }, chain }: QuestionDeps): When {
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
