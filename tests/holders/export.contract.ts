/** Files of holders, on an index of the dev chain and the balance service: row by row what the list has. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CHAIN, TOKENS } from '@hindsight/devchain/world.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { readParquet } from '../../services/holders/test/support/read-parquet.ts';
import { HolderWorld, type HolderOptions } from './support/holder-world.ts';

const PATH = '/v1/eth-mainnet/token/holders';
const { usdc, uni, bayc, items, kitties } = TOKENS;

type Query = Readonly<Record<string, string>>;
type Line = Readonly<Record<string, unknown>>;

/** An engine, with the files that it is making. */
export interface ExportEngine {
  readonly options: HolderOptions;
  /** Files that are being made, in the folder of a service's data. */
  making(dataDir: string): Promise<number>;
}

const urlOf = (path: string, query: Query): string => `${path}?${new URLSearchParams(query).toString()}`;

async function linesOf(app: HttpServer, query: Query): Promise<readonly Line[]> {
  const { statusCode, payload } = await app.inject({ method: 'GET', url: urlOf(PATH, query) });
  expect([statusCode, statusCode === 200 ? '' : payload]).toEqual([200, '']);
  return payload
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

async function fileOf(app: HttpServer, query: Query) {
  const answer = await app.inject({ method: 'POST', url: urlOf(`${PATH}/export`, query) });
  const { statusCode, headers, rawPayload } = answer;
  expect([statusCode, statusCode === 200 ? '' : answer.payload]).toEqual([200, '']);
  const facts = JSON.parse(String(headers['x-holders-facts'])) as Line;
  return { headers, facts, ...(await readParquet(rawPayload)) };
}

const problem = async (app: HttpServer, query: Query, body?: object) => {
  const url = urlOf(`${PATH}/export`, query);
  const { statusCode, payload } = await app.inject({ method: 'POST', url, ...(body ? { body } : {}) });
  const { code, message } = JSON.parse(payload) as { readonly code: string; readonly message: string };
  return { status: statusCode, code, message };
};

/** Describes the files of an engine. */
export function describeExports(open: () => Promise<ExportEngine>): void {
  const world = forAllTests(HolderWorld.onDevchain, 'close');
  let engine: ExportEngine;
  let app: HttpServer;
  let dataDir: string;

  beforeAll(async () => {
    engine = await open();
    dataDir = world.freshFolder();
    app = await world.start({ ...engine.options, dataDir });
  });
  afterAll(() => app.close());

  /** The parts of a file are removed after its last byte. */
  const nothingIsMade = (): Promise<void> =>
    until('nothing is being made', async () => (await engine.making(dataDir)) === 0);

  it.each([
    ['an ERC-20', { token_address: usdc.address }],
    ['an ERC-20 in an early block', { token_address: uni.address, block_height: String(uni.since + 10) }],
    ['an ERC-721', { token_address: bayc.address }],
    ['an ERC-721 whose events have no topics', { token_address: kitties.address }],
    ['an id of an ERC-721', { token_address: bayc.address, token_id: '100' }],
    ['an id of an ERC-1155', { token_address: items.address, token_id: '0' }],
    ['an id that was never there', { token_address: items.address, token_id: '424242' }],
  ])('have the rows of the list, for %s', async (_what, asked) => {
    const query = { block_height: '18000000', ...asked };
    const lines = await linesOf(app, query);
    const { columns, rows, facts } = await fileOf(app, query);
    expect(Object.keys(columns)).toEqual(['holder', 'balance', 'balance_float', 'block', 'error']);
    const [first, end] = [lines[0]!, lines.at(-1)!];
    const expected = lines.slice(1, -1).map(({ holder, balance: amount, error }) => {
      const text = (amount as string | undefined) ?? null;
      const { message = null } = (error ?? {}) as { message?: string };
      return [holder, text, text === null ? null : Number(text), String(query.block_height), message];
    });
    expect(rows).toEqual(expected);
    const { record: _first, token_name: _name, token_symbol: _symbol, ...known } = first;
    const { record: _end, ...totals } = end;
    expect(facts).toEqual({ ...known, ...totals });
    await nothingIsMade();
  });

  it('come in parts that are the whole list together, and cost as it does', async () => {
    const whole = (await fileOf(app, { token_address: usdc.address })).rows;
    const hash = String((await linesOf(app, { token_address: usdc.address }))[0]!.block_hash);
    const query = { token_address: usdc.address, block_hash: hash, limit: '5' };
    let [after, rows]: [string | null, (readonly unknown[])[]] = [null, []];
    do {
      const file = await fileOf(app, after === null ? query : { ...query, after });
      expect([file.facts.units, file.headers['x-hindsight-units']]).toEqual([1, '1']);
      rows = [...rows, ...file.rows];
      after = file.facts.next as string | null;
    } while (after !== null);
    expect(rows).toEqual(whole);
  });

  it('are named, and of a type of their own', async () => {
    const { headers } = await fileOf(app, { token_address: uni.address, block_height: '18000000' });
    expect(headers['content-type']).toBe('application/vnd.apache.parquet');
    expect(headers['content-disposition']).toBe(
      `attachment; filename="holders-${uni.address}-18000000.parquet"`,
    );
    expect(headers['cache-control']).toBe('no-store');
  });

  it('are refused as the list is, and with a body', async () => {
    expect(await problem(app, { token_address: items.address })).toMatchObject({
      status: 400,
      message: expect.stringContaining('expected token_id'),
    });
    expect(await problem(app, { token_address: usdc.address, limit: '1000001' })).toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringMatching(/^limit: /),
    });
    expect(await problem(app, { token_address: usdc.address, order: 'balance' })).toMatchObject({
      code: 'unknown_parameter',
    });
    const above = { token_address: usdc.address, block_height: String(CHAIN.head + 1_000) };
    expect(await problem(app, above)).toMatchObject({ status: 404, code: 'block_above_head' });
    expect(await problem(app, { token_address: usdc.address }, {})).toMatchObject({
      status: 400,
      code: 'invalid_body',
    });
    await nothingIsMade();
  });

  it('are made two at a time: a third is refused, and made once there is room', async () => {
    const url = urlOf(`${PATH}/export`, { token_address: uni.address });
    const ask = () => app.inject({ method: 'POST', url });
    // The place of a file that was just made may not be free yet.
    await until('two are made, and a third refused', async () => {
      const answers = await Promise.all([ask(), ask(), ask()]);
      const [refused, ...others] = answers.filter(({ statusCode }) => statusCode === 503);
      return refused?.json<Line>().code === 'overloaded' && others.length === 0;
    });
    await fileOf(app, { token_address: uni.address });
  });

  it('leave nothing behind where the client disconnects', async () => {
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    const url = urlOf(`${address}${PATH}/export`, { token_address: usdc.address });
    let asked = 0;
    const client = new AbortController();
    world.spy = (path) => {
      asked += 1;
      if (path.includes('snapshot')) client.abort();
    };
    await expect(fetch(url, { method: 'POST', signal: client.signal })).rejects.toThrow();
    world.spy = () => undefined;
    expect(asked).toBeGreaterThan(1);
    await nothingIsMade();
    // Its place is free: more files than may be made at a time.
    for (let i = 0; i < 3; i++) await fileOf(app, { token_address: uni.address });
  });
}
