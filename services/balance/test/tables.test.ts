/** Answers that are rows, as CSV: each has the rows of its JSON, with the block and its hash. */
import { describe, expect, it } from '@jest/globals';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { runOnDevchain } from './support/on-devchain.ts';

const balance = forAllTests(runOnDevchain, 'stop');
const { alice } = HOLDERS;
const USDC = TOKENS.usdc.address;

type Row = Readonly<Record<string, unknown>>;
interface Answer {
  readonly json: Readonly<Record<string, unknown>>;
  readonly header: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
  readonly link: string | null;
}

const URL_OF = (path: string): string => `${balance.url}/v1/eth-mainnet/${path}`;

async function both(path: string): Promise<Answer> {
  const json = (await (await fetch(URL_OF(path))).json()) as Row;
  const answer = await fetch(URL_OF(path), { headers: { accept: 'text/csv' } });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/csv; charset=utf-8; header=present',
  ]);
  // None of the asked tokens has a comma or a line end in its texts but one, which is in quotes.
  const text = (await answer.text()).replaceAll(/"[^"]*(?:""[^"]*)*"/g, 'QUOTED');
  const [header = [], ...rows] = text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  expect(rows.filter(({ length }) => length !== header.length)).toEqual([]);
  return {
    json,
    header,
    rows: rows.map((row) => Object.fromEntries(row.map((cell, i) => [header[i]!, cell]))),
    link: answer.headers.get('link'),
  };
}

const text = (value: unknown): string =>
  value === null || value === undefined ? '' : (value as string | number).toString();

describe('CSV of', () => {
  it('a series has a row for each point', async () => {
    const { json, rows } = await both(
      `balance/series?token_address=${USDC}&holder=${alice}&from=17999850&to=18000000&step=30`,
    );
    const points = json.points as readonly Row[];
    expect(rows).toHaveLength(6);
    expect(rows).toEqual(
      points.map(({ instant, date, block, block_hash, balance: held, reason }) => ({
        ...{ instant: text(instant), date: text(date), block: text(block), block_hash: text(block_hash) },
        ...{ holder: alice, token_address: USDC, token_symbol: 'USDC', token_decimals: '6' },
        ...{ balance: text(held), reason: text(reason) },
      })),
    );
  });

  it('changes has a row for each change, and names the next page', async () => {
    const path = `balance/changes?token_address=native&holder=${alice}&from=17999850&to=18000000&limit=1`;
    const { json, rows, link } = await both(path);
    expect(rows.map(({ block, block_hash, balance_after }) => [block, block_hash, balance_after])).toEqual(
      (json.changes as readonly Row[]).map(({ block, block_hash, balance_after }) => [
        text(block),
        text(block_hash),
        text(balance_after),
      ]),
    );
    expect(rows[0]).toMatchObject({ token_address: 'native', token_decimals: '18', cause: 'state' });
    const next = /^<(.*)>; rel="next"$/.exec(link ?? '')?.[1];
    expect(next).toContain(`cursor=${text(json.next)}`);
    const after = await fetch(new URL(next!, balance.url));
    expect([after.status, ((await after.json()) as { from_block: number }).from_block]).toEqual([
      200,
      json.through_block,
    ]);
    const last = await both(
      `balance/changes?token_address=${USDC}&holder=${alice}&from=18000000&to=18000001`,
    );
    expect(last.link).toBeNull();
  });

  it('a portfolio has ether and a row for each token', async () => {
    const { json, rows } = await both(`portfolio?holder=${alice}&block_height=18000000`);
    const tokens = json.tokens as readonly Row[];
    expect(tokens.length).toBeGreaterThan(5);
    expect(rows.map(({ token_address, token_id, balance: held }) => [token_address, token_id, held])).toEqual(
      [
        ['native', '', json.native_balance],
        ...tokens.map((row) => [row.token_address, text(row.token_id), row.balance]),
      ],
    );
    expect(
      rows.every(({ block_hash, complete }) => block_hash === json.block_hash && complete === 'true'),
    ).toBe(true);
  });

  it('a list of allowances has a row for each', async () => {
    const { json, rows } = await both(`allowance/list?owner=${alice}&block_height=17999900`);
    const allowances = json.allowances as readonly Row[];
    expect(allowances.length).toBeGreaterThan(0);
    expect(rows).toMatchObject(
      allowances.map(({ token_address, spender, allowance }) => ({
        ...{ block: '17999900', block_hash: json.block_hash, owner: alice },
        ...{ token_address, spender, allowance: text(allowance), operator: String(allowance === null) },
        ...{ via: 'token', expiration: '', expired: '' },
      })),
    );
  });

  it.each(['*/*', 'application/json, text/csv', 'text/html'])(
    'is JSON for those who accept %s',
    async (accept) => {
      const answer = await fetch(URL_OF(`portfolio?holder=${alice}&block_height=18000000`), {
        headers: { accept },
      });
      expect(answer.headers.get('content-type')).toContain('application/json');
      expect(answer.headers.get('vary')).toContain('accept');
    },
  );

  it('has a tag of its own', async () => {
    const path = URL_OF(`portfolio?holder=${alice}&block_height=18000000`);
    const tagOf = async (accept: string): Promise<string | null> =>
      (await fetch(path, { headers: { accept } })).headers.get('etag');
    const tag = await tagOf('text/csv');
    expect(tag).not.toBe(await tagOf('application/json'));
    const again = await fetch(path, { headers: { accept: 'text/csv', 'if-none-match': tag! } });
    expect(again.status).toBe(304);
  });
});
