import { describe, expect, it } from '@jest/globals';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { runOnDevchain } from '../../test/support/on-devchain.ts';

const balance = forAllTests(runOnDevchain, 'stop');
const { alice, treasury, vault } = HOLDERS;
const ASSETS = [TOKENS.usdc.address, 'native', TOKENS.steth.address, TOKENS.uni.address];
const [FROM, TO] = [CHAIN.story, CHAIN.head];

type Change = Readonly<Record<string, unknown>> & { readonly block: number };

const RANGE = { holder: alice, from: String(FROM), to: String(TO) };

async function ask(
  query: Readonly<Record<string, string>>,
  path = 'wallet/changes',
  common: Readonly<Record<string, string>> = RANGE,
) {
  const text = new URLSearchParams({ ...common, ...query }).toString();
  return balance.ask(`/v1/eth-mainnet/${path}?${text}`);
}

/** All pages. */
async function walk(query: Readonly<Record<string, string>>): Promise<Record<string, unknown>[]> {
  const pages: Record<string, unknown>[] = [];
  for (let cursor: unknown; cursor !== null; cursor = pages.at(-1)!.next) {
    const { status, body } = await ask({
      ...query,
      ...(cursor === undefined ? {} : { cursor: cursor as string }),
    });
    expect([status, body.message]).toEqual([200, undefined]);
    pages.push(body);
  }
  return pages;
}

/** The changes of each asset alone, in one list. */
async function apart(): Promise<Change[]> {
  const lists = await Promise.all(
    ASSETS.map(async (asset) => {
      const { body } = await ask({ token_address: asset, limit: '1000' }, 'balance/changes');
      expect(body.next).toBeNull();
      return (body.changes as Change[]).map((change) => ({ token_address: asset, ...change }));
    }),
  );
  return lists.flat().sort((one, other) => one.block - other.block);
}

describe('GET wallet/changes', () => {
  it.each(['1000', '7'])(
    'has every change of each token, as balance/changes has it, in pages of %s',
    async (limit) => {
      const pages = await walk({ token_address: ASSETS.join(','), limit });
      const found = pages.flatMap(({ changes }) => changes as Change[]);
      const expected = await apart();
      expect(expected.length).toBeGreaterThan(10);
      expect(found).toEqual(expected);
      for (const { changes } of pages)
        expect((changes as Change[]).length).toBeLessThan(Number(limit) + ASSETS.length);
      expect(new Set(pages.map(({ block_hash }) => block_hash)).size).toBe(1);
      expect(pages.at(-1)).toMatchObject({ through_block: TO, next: null });
    },
  );

  it('names the tokens, the block and its cost', async () => {
    const { body, headers } = await ask({ token_address: ASSETS.slice(0, 2).join(','), to: '17999941' });
    expect(body).toMatchObject({
      holder: alice,
      checked_at_block: 17_999_941,
      from_block: FROM,
      tokens: [
        { token_address: TOKENS.usdc.address, token_symbol: 'USDC', token_type: 'erc20' },
        { token_address: 'native', token_type: 'native', complete: expect.any(Boolean) },
      ],
    });
    expect(headers.get('x-hindsight-units')).toBe('2');
  });

  it('without a token lists ether and what the wallet held at either end, on each page', async () => {
    const heldAt = async (block: number): Promise<string[]> => {
      const { body } = await ask({ block_height: String(block) }, 'portfolio', { holder: alice });
      const tokens = body.tokens as { token_address: string; token_id?: string }[];
      return tokens
        .filter(({ token_id }) => token_id === undefined)
        .map(({ token_address }) => token_address);
    };
    const held = [...new Set([...(await heldAt(TO)), ...(await heldAt(FROM + 40))])];
    const named = ['native', ...held.slice(0, 9)];
    const range = { from: String(FROM + 40) };
    const [first, ...rest] = await walk({ ...range, limit: '5' });
    expect(rest.length).toBeGreaterThan(0);
    for (const { tokens, chosen } of [first!, ...rest]) {
      expect((tokens as Change[]).map(({ token_address }) => token_address)).toEqual(named);
      expect(chosen).toEqual({ left_out: held.slice(9), complete: held.length <= 9 });
    }
    const asked = await walk({ ...range, token_address: named.join(','), limit: '5' });
    expect([first!, ...rest].map(({ changes }) => changes)).toEqual(asked.map(({ changes }) => changes));
    expect(asked[0]).not.toHaveProperty('chosen');
    const { headers } = await ask({ from: String(TO) });
    expect(headers.get('x-hindsight-units')).toBe('10');
  });

  it('is CSV where the client prefers it, a row for each change', async () => {
    const query = `token_address=${ASSETS.join(',')}&holder=${alice}&from=${FROM}&to=${TO}&limit=3`;
    const answer = await fetch(`${balance.url}/v1/eth-mainnet/wallet/changes?${query}`, {
      headers: { accept: 'text/csv' },
    });
    const [header, ...rows] = (await answer.text()).trim().split('\r\n');
    expect(header).toMatch(/^date,block,block_hash,after_block,holder,token_address,token_symbol,/);
    expect(rows.length).toBeGreaterThanOrEqual(3);
    expect(answer.headers.get('link')).toMatch(/rel="next"$/);
  });

  it.each([
    ['balance/changes?token_address=native&', 'complete', 'false'],
    ['wallet/changes?token_address=native&', 'complete', 'false'],
    ['wallet/changes?', 'chosen_complete', 'true'],
  ])('has in each row of the CSV of %s what may be missing: %s', async (path, column, expected) => {
    // Ether of a contract may have come and gone.
    const query = `holder=${TOKENS.weth.address}&from=${FROM}&to=${TO}`;
    const url = `${balance.url}/v1/eth-mainnet/${path}${query}`;
    const text = await (await fetch(url, { headers: { accept: 'text/csv' } })).text();
    const [header, ...rows] = text
      .trim()
      .split('\r\n')
      .map((line) => line.split(','));
    expect([header!.at(-1), new Set(rows.map((row) => row.at(-1)))]).toEqual([column, new Set([expected])]);
  });

  it('refuses a name that moved', async () => {
    const { status, body } = await ask({ token_address: ASSETS.join(','), holder: 'treasury.eth' });
    expect([status, body.code]).toEqual([409, 'name_moved']);
    for (const one of [treasury, vault]) expect(body.message).toContain(one);
  });

  it.each([
    ['no token', { token_address: '' }, 400, /^token_address: /],
    ['a token twice', { token_address: 'native,native' }, 400, /^token_address: native is given twice/],
    ['eleven tokens', { token_address: elevenTokens() }, 400, /^token_address: it has 11 tokens/],
    ['an ERC-1155', { token_address: `native,${TOKENS.items.address}` }, 400, /^token_address: .* ERC-1155/],
    ['no contract', { token_address: `native,${alice}` }, 404, /^There is no contract at/],
    [
      'ends in the wrong order',
      { token_address: 'native', from: '17999940', to: '17999939' },
      400,
      /^from: it is after to/,
    ],
    ['an end above the head', { token_address: 'native', to: String(CHAIN.head + 99) }, 404, /^to: block/],
    ['a malformed cursor', { token_address: 'native', cursor: 'x' }, 400, /^cursor: /],
  ])('is refused for %s', async (_what, query, status, message) => {
    const { body } = await ask(query);
    expect(body).toMatchObject({ statusCode: status, message: expect.stringMatching(message) });
  });

  it('refuses the cursor of another question', async () => {
    const { body } = await ask({ token_address: ASSETS.join(','), limit: '1' });
    for (const other of [{ token_address: 'native' }, { token_address: ASSETS.join(','), holder: vault }])
      expect((await ask({ ...other, cursor: body.next as string })).body.statusCode).toBe(400);
  });
});

function elevenTokens(): string {
  return Array.from({ length: 11 }, (_, i) => `0x${String(i).padStart(40, '0')}`).join(',');
}
