/** Questions about a wallet with an index of all tokens: the answers of a search of logs, without one. */
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startAlteredNode } from '@hindsight/chain/test/support/altered-node.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, LANDMARKS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { inProcessService } from '@hindsight/http/in-process-service.ts';
import type { OtherService } from '@hindsight/http/other-service.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { unavailable } from '@hindsight/kernel/errors.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { runBalance, type RunningBalance } from '../../services/balance/test/support/run-balance.ts';
import { HolderWorld } from './support/holder-world.ts';

/** Its balance service searches logs. */
const world = forAllTests(HolderWorld.onDevchain, 'close');
const altered = forAllTests(() => startAlteredNode(world.nodeUrl), 'close');
/** With an index of all tokens, once it has walked the chain. */
let all: HttpServer;
let usdcAlone: HttpServer;
/** Searches of logs over a range. */
let searches = 0;

async function walked(tracks?: readonly string[]): Promise<HttpServer> {
  const app = await world.start(tracks === undefined ? {} : { tracks });
  // The first question about holders starts the walk, and waits for it. One about transfers finds the chain's first block,
  // for which those of the balance service have little time.
  for (const path of [
    `token/holders?token_address=${TOKENS.usdc.address}`,
    `transfers?holder=${HOLDERS.alice}`,
  ])
    expect((await app.inject({ url: `/v1/eth-mainnet/${path}&limit=1` })).statusCode).toBe(200);
  return app;
}

beforeAll(async () => {
  altered.alter((method, result, params) => {
    const [filter] = (params ?? []) as { fromBlock?: string }[];
    if (method === 'eth_getLogs' && filter?.fromBlock !== undefined) searches += 1;
    return result;
  });
  all = await walked();
  usdcAlone = await walked([TOKENS.usdc.address.toLowerCase()]);
});
const opened: RunningBalance[] = [];
afterEach(async () => {
  for (const balance of opened.splice(0)) await balance.stop();
  searches = 0;
});

/** A balance service that asks this holders service. */
async function indexedBy(
  service: HttpServer | OtherService,
  limits: { readonly holdersWithinMs?: number } = {},
): Promise<RunningBalance> {
  const holders = 'ask' in service ? service : inProcessService(() => service);
  const balance = await runBalance(altered.url, { holdersOf: () => holders, ...limits });
  opened.push(balance);
  return balance;
}

type Query = Readonly<Record<string, string>>;
interface Answer {
  readonly asked: { readonly how: string; readonly complete?: boolean; readonly tokens?: readonly string[] };
  readonly tokens?: readonly { readonly token_address: string }[];
}

async function answerOf(of: RunningBalance, path: string, query: Query): Promise<Answer> {
  const { status, body } = await of.ask(`/v1/eth-mainnet/${path}?${new URLSearchParams(query).toString()}`);
  expect([path, query, status]).toEqual([path, query, 200]);
  return body as unknown as Answer;
}

/** Expects the answer of a search, but for the way in which it was found. */
async function expectSame(of: RunningBalance, path: string, query: Query, how: string): Promise<void> {
  const [expected, found] = [await answerOf(world.balance, path, query), await answerOf(of, path, query)];
  expect(expected.asked.how).toBe('logs');
  const wanted = { ...expected, asked: { ...expected.asked, how } };
  expect([path, query, withoutKitties(found)]).toEqual([path, query, wanted]);
}

/** Their events name the accounts in no topic: the index has them, and no search. */
function withoutKitties(answer: Answer): Answer {
  const { asked, tokens } = answer;
  if (tokens === undefined || asked.tokens === undefined) return answer;
  const rest = { tokens: asked.tokens.filter((token) => token !== kitties) };
  return {
    ...answer,
    tokens: tokens.filter(({ token_address: token }) => token !== kitties),
    asked: { ...asked, ...rest },
  };
}
const kitties: string = TOKENS.kitties.address;
const { ledger } = buildPlan();
const breeder = Object.values(HOLDERS).find(
  (holder) => ledger.balanceAt(kitties, holder, CHAIN.head - 100) > 0n,
)!;

const FINALIZED = CHAIN.head - 100;
const HEIGHTS = [CHAIN.story + 30, LANDMARKS.slashing, FINALIZED];
const NEWEST = [CHAIN.head - 1, CHAIN.head];
const CHANGED = [TOKENS.usdc, TOKENS.uni, TOKENS.weth, TOKENS.steth];
const WALLETS = [...Object.values(HOLDERS), UNUSED_ADDRESS];

/** Each of the first with one of the others, which come in turn: every pair would run the same code many times. */
function inTurn<A, B>(each: readonly A[], others: readonly B[]): (readonly [A, B])[] {
  return each.map((one, i) => [one, others[i % others.length]!]);
}

describe('with an index of all tokens', () => {
  it.each([
    ['portfolio', 'holder'],
    ['allowance/list', 'owner'],
  ])('%s has what a search of the whole chain finds, without one', async (path, account) => {
    const balance = await indexedBy(all);
    for (const [wallet, height] of inTurn(WALLETS, HEIGHTS))
      await expectSame(balance, path, { [account]: wallet, block_height: String(height) }, 'index');
    expect(searches).toBe(0);
    // Blocks behind the index are searched.
    for (const [wallet, height] of inTurn(WALLETS, NEWEST))
      await expectSame(balance, path, { [account]: wallet, block_height: String(height) }, 'index');
  });

  it('portfolio has what no search finds: a token whose events name their accounts in no topic', async () => {
    const query = { holder: breeder, block_height: String(FINALIZED) };
    const { tokens } = await answerOf(await indexedBy(all), 'portfolio', query);
    expect(tokens).toContainEqual(
      expect.objectContaining({ token_address: kitties, token_name: 'CryptoKitties' }),
    );
  });

  it('balance/changes reads only the blocks that the index names', async () => {
    const balance = await indexedBy(all);
    const ends = { from: String(CHAIN.story), to: String(FINALIZED) };
    const holders = Object.values(HOLDERS);
    for (const [at, { address: token_address, standard }] of CHANGED.entries()) {
      expect(['erc20', 'erc721']).toContain(standard);
      // Of every holder, those of a token that come in its turn: all of a token's run the same code.
      const some = holders.filter((_, i) => i % CHANGED.length === at);
      for (const [holder, limit] of inTurn(some, ['1000', '2']))
        await expectSame(balance, 'balance/changes', { token_address, holder, ...ends, limit }, 'index');
    }
    expect(searches).toBe(0);
    const newest = { from: String(CHAIN.story), to: String(CHAIN.head) };
    for (const holder of Object.values(HOLDERS))
      await expectSame(
        balance,
        'balance/changes',
        { token_address: TOKENS.uni.address, holder, ...newest },
        'index',
      );
  });

  it('logs are searched where the node lacks what the index has seen', async () => {
    const ends = { from: String(CHAIN.story), to: String(FINALIZED) };
    const query = { token_address: kitties, holder: breeder, ...ends };
    await expectSame(await indexedBy(all), 'balance/changes', query, 'logs');
  });
});

describe('with an index of one token', () => {
  it('its changes are found by it; other tokens, portfolios and allowances by searches', async () => {
    const balance = await indexedBy(usdcAlone);
    const [holder, owner] = [HOLDERS.alice, HOLDERS.alice];
    const ends = { from: String(CHAIN.story), to: String(FINALIZED) };
    await expectSame(
      balance,
      'balance/changes',
      { token_address: TOKENS.usdc.address, holder, ...ends },
      'index',
    );
    await expectSame(
      balance,
      'balance/changes',
      { token_address: TOKENS.uni.address, holder, ...ends },
      'logs',
    );
    await expectSame(balance, 'portfolio', { holder, block_height: String(FINALIZED) }, 'logs');
    await expectSame(balance, 'allowance/list', { owner, block_height: String(FINALIZED) }, 'logs');
  });
});

describe('logs are searched', () => {
  const query = { holder: HOLDERS.alice, block_height: String(FINALIZED) };

  it('where the index is of another chain', async () => {
    const answer = {
      from: 0,
      end: { number: FINALIZED, hash: `0x${'00'.repeat(32)}` },
      rows: [],
    };
    await expectSame(await indexedBy(answering(200, answer)), 'portfolio', query, 'logs');
  });

  it.each<readonly [what: string, faulty: Readonly<Record<string, unknown>>]>([
    ['a row without a token', { rows: [{ id: null }] }],
    ['a token that is no address', { rows: [{ token: 'usdc', id: null }] }],
    ['rows that are no list', { rows: {} }],
    ['no first block', { from: undefined }],
    ['an end that is no block', { end: { number: -1, hash: 'x' } }],
  ])('where the answer has another shape: %s', async (_what, faulty) => {
    const { hash } = await world.balance
      .ask(`/v1/eth-mainnet/block?block_height=${FINALIZED}`)
      .then(({ body }) => ({ hash: body.block_hash as string }));
    expect(hash).toMatch(/^0x/);
    const answer = { from: 0, end: { number: FINALIZED, hash }, rows: [], ...faulty };
    await expectSame(await indexedBy(answering(200, answer)), 'portfolio', query, 'logs');
  });

  it('where the holders service does not answer, and it is not asked again at once', async () => {
    let questions = 0;
    const refuses: OtherService = {
      ask() {
        questions += 1;
        return Promise.reject(unavailable('service_unavailable', 'no'));
      },
    };
    const balance = await indexedBy(refuses);
    const later = { ...query, block_height: String(FINALIZED - 1) };
    const [second] = await Promise.all([
      // The next question comes at once: a search may take longer than the service is spared.
      until('the service has refused', () => questions > 0).then(() => answerOf(balance, 'portfolio', later)),
      expectSame(balance, 'portfolio', query, 'logs'),
    ]);
    expect(questions).toBe(1);
    expect(second).toEqual(await answerOf(world.balance, 'portfolio', later));
  });

  it('where it hangs', async () => {
    const hangs: OtherService = {
      ask: ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    };
    await expectSame(await indexedBy(hangs, { holdersWithinMs: 100 }), 'portfolio', query, 'logs');
  });

  it('where no question has started the walk, which this one does not', async () => {
    const idle = await world.start();
    await expectSame(await indexedBy(idle), 'portfolio', query, 'logs');
    const { statusCode } = await idle.inject({
      url: `/internal/eth-mainnet/holdings?account=${HOLDERS.alice}&up_to=${FINALIZED}`,
    });
    expect(statusCode).toBe(503);
  });
});

function answering(status: number, body: object): OtherService {
  return {
    ask: async () => ({
      status,
      retryAfter: undefined,
      body: (async function* () {
        yield JSON.stringify(body);
      })(),
    }),
  };
}
