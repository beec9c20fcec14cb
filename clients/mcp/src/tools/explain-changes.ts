import { InvalidAnswer, type components } from '@hindsight/client';
import { z } from 'zod';
import { adviceOn } from '../faults.ts';
import { asked, change, formattedAmount, list, meaning, source } from '../outputs.ts';
import { PAGE } from '../page.ts';
import { MOST_PAGES, readPortfolio, scopeOf } from '../pages.ts';
import { ADDRESS, bound, end, momentOf, toOf, wallet } from '../parameters.ts';
import {
  formatted,
  formattedChanges,
  nativeToken,
  resolvedAt,
  sourceAtHash,
  tokenOverTime,
  type Denomination,
} from '../source.ts';
import { askPatiently, defineTool, type Api } from '../tool.ts';

type Page = components['schemas']['BalanceChanges'];
type Portfolio = components['schemas']['Portfolio'];
type Holding = Portfolio['tokens'][number];

/** Tokens whose changes are read; of each so many changes. */
const MOST_ASSETS = 8;
const MOST_CHANGES = 10;

/** The most addresses of a name that are explained. */
const MOST_SPANS = 3;

/** The holdings of a wallet at two moments, and the changes in between. */
const explanation = {
  holder: z.string(),
  assets: list({
    token: z.string(),
    token_id: z.string().optional(),
    before_formatted: formattedAmount,
    after_formatted: formattedAmount,
    changed: z.boolean().nullable().describe('Null if either balance is not known.'),
    changes: z.array(change).optional(),
    complete: z.boolean().optional(),
  }),
  more: z.string().nullable(),
  before: source,
  after: source,
  asked_before: asked,
  asked_after: asked,
};

/** An asset that was held at either end. */
interface Held extends Denomination {
  readonly token: string;
  /** Of an ERC-1155. */
  readonly token_id?: string | undefined;
  /** Null where that was not read. */
  readonly before: string | null;
  readonly after: string | null;
}

/** All that changed in a wallet between two moments, in one call. */
export const explainChanges = defineTool({
  name: 'explain_changes',
  title: 'Explain what changed in a wallet',
  description:
    'What a wallet held at two moments, ether and all tokens, and for each that differs the blocks in which it changed, with ' +
    `their transactions: up to ${MOST_ASSETS} assets and ${MOST_CHANGES} changes of each. Use it for "what did it hold, and when ` +
    'did that change?". `more` names what is left out. For a name that moved in between `about` says so, and `meanings` has the ' +
    'blocks of each address: the answer is about the last address, and `earlier` is about the ones before, each from its first ' +
    'block to the block in which the name left it.',
  input: {
    holder: wallet,
    from: bound.describe('The first moment: a block number, or an ISO 8601 date in UTC.'),
    to: end,
  },
  output: {
    about: z.string().optional().describe('Of a name that moved: whose changes these are.'),
    ...explanation,
    holder_name: z.string().optional(),
    meanings: z.array(meaning).optional(),
    earlier: list(explanation).optional(),
  },
  async run(api, { holder, from, to }) {
    const until = toOf(to);
    const meanings = ADDRESS.test(holder) ? [] : await meaningsOf(api, holder, from, until);
    const spans = meanings.filter((one) => one.holder !== null);
    if (new Set(spans.map((one) => one.holder)).size <= 1)
      return explain(api, { holder, from, ...(until === undefined ? {} : { to: until }) });
    const left = spans.slice(0, -MOST_SPANS);
    const explained: Explanation[] = [];
    for (const one of spans.slice(-MOST_SPANS)) {
      // An address is often emptied in the very block in which its name leaves it.
      const end = one === meanings.at(-1) ? one.through_block : one.through_block + 1;
      explained.push(await explain(api, { holder: one.holder!, from: one.from_block - 1, to: end }));
    }
    const last = explained.at(-1);
    const before =
      left.length === 0 ? null : `Ask for the addresses before: ${left.map((one) => one.holder).join(', ')}`;
    return {
      about: whose(holder, spans),
      ...last,
      holder_name: holder,
      meanings,
      earlier: explained.slice(0, -1),
      more: joined(before, last?.more ?? null),
    };
  },
});

/** Tells a model which address the changes belong to, so that it does not ascribe them to the name. */
function whose(name: string, spans: readonly z.output<typeof meaning>[]): string {
  const meant = spans.map(
    ({ holder, from_block, through_block }) => `${holder} in blocks ${from_block} to ${through_block}`,
  );
  return (
    `${name} moved. In this range it meant ${meant.join(', then ')}. Balances and changes here are those of ${spans.at(-1)!.holder} alone, ` +
    `also before the name came to it; those of the other addresses are in \`earlier\`. A move of the name is no movement of funds: ` +
    'cite a change with its address and its transaction.'
  );
}

/** A wallet, or a name that meant one wallet, and two moments. Default of `to`: the latest block */
interface Span {
  readonly holder: string;
  readonly from: string | number;
  readonly to?: string | number;
}

/** The addresses that a name meant, which any search for changes reports. */
async function meaningsOf(
  api: Api,
  holder: string,
  from: string | number,
  to: string | number | undefined,
): Promise<readonly z.output<typeof meaning>[]> {
  const query = { token_address: 'native', holder, from, to, resolve: 'each', limit: 1 };
  const { meanings = [] } = await askPatiently<Page>(api, '/balance/changes', query);
  return meanings;
}

/** The explanation of one wallet, by the output's fields. */
type Explanation = Readonly<Record<string, unknown>> & { readonly more: string | null };

async function explain(api: Api, { holder, from, to }: Span): Promise<Explanation> {
  const last = await readPortfolio(api, { holder, ...(to === undefined ? {} : momentOf(to)) });
  const first = await readPortfolio(api, { holder: last.holder, ...momentOf(from) });
  const range = { holder, from: first.checked_at_block, to: last.checked_at_block, hash: last.block_hash };
  const ether = await changesOf(api, range, 'native');
  const held = heldAt(await nativeToken(api), first, last);
  const changed = held.filter((one) => isChanged(one) !== false || one.token === 'native');
  const looked = changed.slice(0, MOST_ASSETS);
  const explained = new Map<Held, Explained>();
  // One after another, as the burst limit of a small plan has few places.
  for (const one of looked)
    explained.set(one, one.token === 'native' ? ether : await changesOf(api, range, one.token));
  const left = changed.slice(MOST_ASSETS, PAGE).map(({ token }) => token);
  const others = left.length === 0 ? null : `Ask balance_changes for: ${left.join(', ')}`;
  // Those that may have changed go before the others.
  const listed = new Set([...new Set([...changed, ...held])].slice(0, PAGE));
  const unlisted =
    held.length === listed.size
      ? null
      : `${held.length - listed.size} more assets are not listed, ${Math.max(changed.length - PAGE, 0)} of them changed or not known: ask portfolio at both moments`;
  const unread =
    first.next === null && last.next === null
      ? null
      : `The wallet has more contracts than ${MOST_PAGES} pages of its portfolio list: the rest were not looked at`;
  const query = { holder: last.holder };
  return {
    holder: last.holder,
    ...ether.resolved,
    assets: held.filter((one) => listed.has(one)).map((one) => assetOf(one, explained.get(one))),
    more: joined(others, unlisted, unread),
    before: sourceAtHash(api, first, '/portfolio', query),
    after: sourceAtHash(api, last, '/portfolio', query),
    asked_before: scopeOf(first.asked),
    asked_after: scopeOf(last.asked),
  };
}

/** Notes on what is left out, as one text; null where there are none. */
function joined(...notes: readonly (string | null)[]): string | null {
  return notes.filter((note) => note !== null).join('. ') || null;
}

function assetOf(one: Held, { resolved: _, ...explained }: Explained = {}): object {
  return {
    token: one.token,
    ...(one.token_id !== undefined && { token_id: one.token_id }),
    token_symbol: one.token_symbol,
    before: one.before,
    before_formatted: formatted(one.before, one),
    after: one.after,
    after_formatted: formatted(one.after, one),
    changed: isChanged(one),
    ...explained,
  };
}

function isChanged({ before, after }: Held): boolean | null {
  return before === null || after === null ? null : before !== after;
}

interface Explained {
  readonly changes?: readonly object[];
  readonly complete?: boolean;
  readonly error?: string;
  readonly resolved?: object;
}

/** A wallet, and a range of blocks. */
interface BlockRange {
  readonly holder: string;
  readonly from: number;
  readonly to: number;
  /** The hash of the last block. */
  readonly hash: string;
}

/** The first changes of an asset. Of ether a fault is that of the whole question. */
async function changesOf(
  api: Api,
  { holder, from, to, hash }: BlockRange,
  token: string,
): Promise<Explained> {
  if (from >= to) return { changes: [], complete: true };
  const query = { token_address: token, holder, from, to, limit: MOST_CHANGES };
  try {
    const page = await askPatiently<Page>(api, '/balance/changes', query);
    if (page.block_hash !== hash)
      throw new InvalidAnswer(`block ${to} was reorganised away meanwhile; call again.`);
    const changes = formattedChanges(page.changes, await tokenOverTime(api, token, page));
    const found = 'complete' in page ? page.complete : true;
    return { changes, complete: found && page.next === null, resolved: resolvedAt(holder, page) };
  } catch (fault) {
    if (token === 'native') throw fault;
    return { error: adviceOn(fault) };
  }
}

/** Ether, and the tokens of both ends. A token that is not in a portfolio counts 0 there, if it was read. */
function heldAt(coin: Denomination, first: Portfolio, last: Portfolio): readonly Held[] {
  const byToken = ({ tokens }: Portfolio) =>
    new Map(tokens.map((one) => [`${one.token_address} ${one.token_id ?? ''}`, one]));
  const [before, after] = [byToken(first), byToken(last)];
  const tokens = [...new Set([...before.keys(), ...after.keys()])].map((key): Held => {
    const one = (after.get(key) ?? before.get(key))!;
    return {
      token: one.token_address,
      token_id: one.token_id,
      token_symbol: one.token_symbol,
      token_decimals: one.token_decimals,
      before: before.get(key)?.balance ?? absentFrom(first, one),
      after: after.get(key)?.balance ?? absentFrom(last, one),
    };
  });
  const native = { token: 'native', ...coin, before: first.native_balance, after: last.native_balance };
  return [native, ...tokens];
}

/** The balance of what a portfolio does not list: null where it was not looked at, or the token did not answer. */
function absentFrom({ next, asked }: Portfolio, { token_address, token_id }: Holding): '0' | null {
  const isAsked = asked.complete || (token_id === undefined && asked.tokens.includes(token_address));
  return next === null && isAsked && !asked.unread.includes(token_address) ? '0' : null;
}
