/**
 * A snapshot's cost is counted twice: by the gateway, from the rows that pass, and by the service, for the
 * last line. Both must agree with each other, and with the usage afterwards.
 */
import { beforeAll, expect, it } from '@jest/globals';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { request } from 'node:http';
import { once } from 'node:events';
import { makeFastKey } from '../support/fast-key.ts';
import { sharedHindsight, type SharedHindsight } from '../support/shared-hindsight.ts';

const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const UNI = '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984';

let hindsight: SharedHindsight;
let key: string;
beforeAll(async () => {
  hindsight = await sharedHindsight(process.env);
  key = await makeFastKey(hindsight.dataDir);
});

const rows = (count: number, end = '\n'): string =>
  Array.from({ length: count }, (_, i) => `0x${(i + 1).toString(16).padStart(40, '0')}${end}`).join('');

const BODIES: readonly (readonly [what: string, type: string, body: string, units: number])[] = [
  ['one row', 'text/plain', 'alice.eth', 1],
  ['100 rows', 'text/plain', rows(100), 1],
  ['101 rows', 'text/plain', rows(101), 2],
  ['101 rows in CRLF', 'text/plain', rows(101, '\r\n'), 2],
  ['100 rows among blank lines', 'text/plain', rows(100, '\n \t\n\r\n'), 1],
  ['100 rows behind a byte order mark', 'text/plain', `\ufeff${rows(100)}`, 1],
  ['bad rows', 'text/plain', 'x\n'.repeat(150), 2],
  ['CSV with a header', 'text/csv', `address,note\n${rows(100, ',"a ""note"""\n')}`, 1],
  ['CSV without a header', 'text/csv', rows(101, ',1\n'), 2],
  ['CSV with a quoted header behind blank lines', 'text/csv', `\n \n"the, holder"\n${rows(100)}`, 1],
  ['NDJSON', 'application/x-ndjson', rows(0) + '{"holder": "bob.eth"}\n"alice.eth"\n'.repeat(75), 2],
  ['thousands of rows', 'text/plain', rows(2_345), 24],
];

interface Answered {
  readonly end: { readonly record: string; readonly holders: number; readonly units: number };
  readonly units: number;
}

async function snapshot(tokens: string, type: string, body: string): Promise<Answered> {
  const url = `${hindsight.url}/v1/eth-mainnet/balance/snapshot?token_address=${tokens}&block_height=18000000`;
  const headers = { 'x-api-key': key, 'content-type': type, 'content-length': Buffer.byteLength(body) };
  const asking = request(url, { method: 'POST', headers });
  asking.end(body);
  const [response] = await once(asking, 'response');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  expect({ status: response.statusCode, text: response.statusCode === 200 ? '' : text }).toEqual({
    status: 200,
    text: '',
  });
  // A header if the whole body had passed before, else a trailer.
  const units = Number(response.headers['x-units'] ?? response.trailers['x-units']);
  return { end: JSON.parse(text.trim().split('\n').at(-1) ?? '') as Answered['end'], units };
}

async function used(): Promise<number> {
  const response = await fetch(`${hindsight.url}/v1/usage`, { headers: { 'x-api-key': key } });
  return ((await response.json()) as { requests: { used: number } }).requests.used;
}

it.each(BODIES)('%s (%s)', async (_what, type, body, units) => {
  const before = await used();
  const answered = await snapshot(USDC, type, body);
  expect(answered).toMatchObject({ end: { record: 'end', units }, units });
  const twice = await snapshot(`${USDC},${UNI}`, type, body);
  expect(twice).toMatchObject({ end: { record: 'end', units: 2 * units }, units: 2 * units });
  await until('both are counted', async () => (await used()) >= before + 3 * units);
  expect(await used()).toBe(before + 3 * units);
});

it.each([
  [1, 1],
  [10, 1],
  [11, 2],
  [205, 21],
])('%d rows with proofs', async (count, units) => {
  const before = await used();
  const answered = await snapshot(`${USDC}&proof=storage`, 'text/plain', rows(count));
  expect(answered).toMatchObject({ end: { record: 'end', units, errors: 0 }, units });
  await until('they are counted', async () => (await used()) >= before + units);
  expect(await used()).toBe(before + units);
});
