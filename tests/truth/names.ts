/**
 * Changes and statements by names, moved ones among them: plain calls at each block say which address a name meant, and the
 * balance of that address.
 */
import { CONTRACTS, TOKENS } from '@hindsight/devchain/world.ts';
import { namehash, ZeroAddress } from 'ethers';
import type { Chain } from './inquiries.ts';
import type { SeededNode } from './nodes.ts';
import { amountIn, changesIn, periodsIn, PERIOD } from './searches.ts';
import { ETHER, numberIn, readRaw, type Fields, type View } from './views.ts';

/** One that keeps its address, one that moves, and one that is set late, cleared, and set to another address. */
const NAMES = ['alice.eth', 'treasury.eth', 'bob.eth'];
const ASSETS = [TOKENS.usdc.address, TOKENS.steth.address, null];

/** The address of a name by height; null where it has none. */
type Meant = (height: number) => string | null;

/** A view whose questions for the node are known once it has said what a name meant at each block. */
export interface NamedView extends Pick<View, 'path'> {
  readonly open: () => Promise<View>;
}

/** Changes and statements of all names on a seeded node. */
export function namesOf(node: SeededNode, chain: Chain): readonly NamedView[] {
  return NAMES.flatMap((name) => {
    let meaning: Promise<Meant> | undefined;
    const withMeaning = async (view: (meant: Meant) => View): Promise<View> =>
      view(await (meaning ??= meaningOf(node.url, chain, name)));
    return ASSETS.flatMap((token) => [
      {
        path: changesPath(chain, token, name),
        open: () => withMeaning((meant) => changesByName(chain, token, name, meant)),
      },
      {
        path: statementPath(chain, token, name),
        open: () => withMeaning((meant) => statementByName(chain, token, name, meant)),
      },
    ]);
  });
}

function changesPath({ first, head }: Chain, token: string | null, name: string): string {
  const asked = `token_address=${token ?? 'native'}&holder=${name}&from=${first}&to=${head}`;
  return `balance/changes?${asked}&resolve=each&limit=1000`;
}

function statementPath({ first, head }: Chain, token: string | null, name: string): string {
  const asked = `token_address=${token ?? 'native'}&holder=${name}&from=${first}&to=${head}&step=${PERIOD}`;
  return `balance/statement?${asked}&resolve=each`;
}

/** Asks the registry and the resolver that it names, at each block. */
async function meaningOf(url: string, { headers }: Chain, name: string): Promise<Meant> {
  const node = namehash(name);
  const heights = [...headers.keys()];
  const resolvers = await readRaw(url, {
    calls: heights.map((height) => [CONTRACTS.ensRegistry, 'resolver', [node], height]),
  });
  const found = heights.flatMap((height, i) => {
    const resolver = numberIn(resolvers[i]) ?? ZeroAddress;
    return resolver === ZeroAddress ? [] : [{ height, resolver }];
  });
  const addresses = await readRaw(url, {
    calls: found.map(({ height, resolver }) => [resolver, 'addr', [node], height]),
  });
  const byHeight = new Map(found.map(({ height }, i) => [height, numberIn(addresses[i]) ?? ZeroAddress]));
  return (height) => {
    const address = byHeight.get(height) ?? ZeroAddress;
    return address === ZeroAddress ? null : address;
  };
}

function callOf(token: string | null, holder: string, height: number): View['calls'][number] {
  return token === null ? ['', ETHER, [holder], height] : [token, 'balanceOf', [holder], height];
}

/** The name's resolver soon after the beginning: a node that has forgotten it cannot tell what the name meant. */
function lookOf(name: string, first: number): View['calls'][number] {
  return [CONTRACTS.ensRegistry, 'resolver', [namehash(name)], first + PERIOD];
}

/** Every block in which the address that the name meant there had another balance than in the block before. */
function changesByName(chain: Chain, token: string | null, name: string, meant: Meant): View {
  const { headers, first, head } = chain;
  const heights = Array.from({ length: head - first }, (_, i) => first + 1 + i);
  const named = heights.flatMap((height) => {
    const holder = meant(height);
    return holder === null ? [] : [{ height, holder }];
  });
  const meanings = heights.reduce<Fields[]>((found, height) => {
    const [holder, last] = [meant(height), found.at(-1)];
    const isSame = last?.holder === holder;
    const from_block = isSame ? last.from_block : height;
    return [...(isSame ? found.slice(0, -1) : found), { holder, from_block, through_block: height }];
  }, []);
  return {
    path: changesPath(chain, token, name),
    calls: [
      lookOf(name, first),
      ...named.flatMap(({ height, holder }) => [
        callOf(token, holder, height - 1),
        callOf(token, holder, height),
      ]),
    ],
    read: ({ meanings: found, ...body }) => ({
      changes: changesIn(body).map((row, i) => [...row, (body.changes as Fields[])[i]!.holder]),
      meanings: found,
      next: body.next,
    }),
    expected: ([, ...raws]) => ({
      changes: named.flatMap(({ height, holder }, i) => {
        const [before, after] = [amountIn(raws[2 * i]), amountIn(raws[2 * i + 1])];
        if (before === after) return [];
        return [[height - 1, height, headers.get(height)?.hash, before, after, holder]];
      }),
      meanings,
      next: null,
    }),
  };
}

/** The opening and closing of each period, of the address that the name meant at its end. */
function statementByName(chain: Chain, token: string | null, name: string, meant: Meant): View {
  const { headers, first, head } = chain;
  const count = Math.ceil((head - first) / PERIOD);
  const periods = Array.from({ length: count }, (_, i) => {
    const to = Math.min(first + (i + 1) * PERIOD, head);
    return { from: first + i * PERIOD, to, holder: meant(to) };
  });
  const named = periods.filter(({ holder }) => holder !== null);
  return {
    path: statementPath(chain, token, name),
    calls: [
      lookOf(name, first),
      ...named.flatMap(({ from, to, holder }) => [callOf(token, holder!, from), callOf(token, holder!, to)]),
    ],
    read: (body) => ({
      complete: body.complete,
      periods: periodsIn(body).map((row, i) => [...row, (body.periods as Fields[])[i]!.holder]),
    }),
    expected: ([, ...raws]) => ({
      complete: true,
      periods: periods.map(({ from, to, holder }) => {
        const at = named.findIndex((one) => one.to === to);
        const [opening, closing] =
          at === -1 ? ['0', '0'] : [amountIn(raws[2 * at]), amountIn(raws[2 * at + 1])];
        return [headers.get(from)?.hash, headers.get(to)?.hash, opening, closing, true, holder];
      }),
    }),
  };
}
