/** Costs of refusals: those that the table of errors names for their codes. */
import { beforeAll, expect, it } from '@jest/globals';
import { ERROR_CASES, type ErrorCode } from '@hindsight/kernel/error-codes.ts';
import { makeFastKey } from '../support/fast-key.ts';
import { sharedHindsight, type SharedHindsight } from '../support/shared-hindsight.ts';

const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const ITEMS = '0x8698A28FF9b2Db989073739c8616DB10bE6595f1';
const UNKNOWN_HASH = `0x${'1'.repeat(64)}`;

let hindsight: SharedHindsight;
let key: string;
beforeAll(async () => {
  hindsight = await sharedHindsight(process.env);
  key = await makeFastKey(hindsight.dataDir);
});

const NET = '/v1/eth-mainnet';
const post = (body: string | ReadableStream, type = 'application/json'): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'content-type': type },
  ...(body instanceof ReadableStream && { duplex: 'half' }),
});
const compressed = (body: string): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
});
const stream = (): ReadableStream => new Blob(['[]']).stream();

it.each<[code: ErrorCode, path: string, init?: () => RequestInit]>([
  ['invalid_parameter', `${NET}/block?block_height=x`],
  ['missing_parameter', `${NET}/balance/native`],
  ['unknown_parameter', `${NET}/block?height=1`],
  ['repeated_parameter', `${NET}/block?block_height=1&block_height=2`],
  ['conflicting_parameters', `${NET}/block?block_height=1&date=2023-08-26`],
  [
    'invalid_range',
    `${NET}/balance/series?token_address=native&holder=alice.eth&from=18000000&to=17999999&step=1`,
  ],
  ['invalid_name', `${NET}/balance/native?holder=a..eth`],
  [
    'invalid_function',
    `${NET}/call`,
    () => post(JSON.stringify({ target: USDC, function: '(', args: [[]] })),
  ],
  ['invalid_body', `${NET}/call`, () => post('{')],
  ['invalid_body', `${NET}/balance/batch`, () => post('')],
  ['invalid_body', `${NET}/balance/snapshot?token_address=native`, () => post('\n', 'text/plain')],
  ['wrong_token_standard', `${NET}/supply?token_address=${ITEMS}`],
  ['unknown_route', `${NET}/nothing`],
  ['unknown_network', '/v1/nowhere/block'],
  ['unknown_name', `${NET}/balance/native?holder=unregistered.eth`],
  ['block_above_head', `${NET}/block?block_height=99999999`],
  ['block_not_canonical', `${NET}/block?block_hash=${UNKNOWN_HASH}`],
  ['no_block_at_date', `${NET}/block?date=2015-01-01`],
  ['no_contract', `${NET}/supply?token_address=0x${'1'.repeat(40)}`],
  ['unknown_order', `${NET}/orders/${UNKNOWN_HASH}`],
  ['method_not_allowed', `${NET}/block`, () => ({ method: 'DELETE' })],
  ['length_required', `${NET}/balance/batch`, () => post(stream())],
  ['body_too_large', `${NET}/balance/batch`, () => post('x'.repeat(1_048_577))],
  ['body_too_large', `${NET}/orders/dex-webhook`, () => post('x'.repeat(65_537))],
  ['unsupported_media_type', `${NET}/balance/batch`, () => post('[]', 'text/plain')],
  ['unsupported_media_type', `${NET}/balance/snapshot?token_address=native`, () => post('x', 'text/html')],
  ['unsupported_media_type', `${NET}/orders/dex-webhook`, () => post('{}', 'text/plain')],
  ['unsupported_media_type', `${NET}/orders/dex-webhook`, () => compressed('{}')],
  ['block_unavailable', `${NET}/block?block_height=1`],
])('%s of %s', async (code, path, init = () => ({})) => {
  const { headers, ...asked } = init();
  const response = await fetch(hindsight.url + path, { ...asked, headers: { 'x-api-key': key, ...headers } });
  expect(await response.json()).toMatchObject({ code, statusCode: ERROR_CASES[code].status });
  expect(response.headers.get('x-units') ?? '0').toBe(ERROR_CASES[code].counted ? '1' : '0');
});

it('a compressed body of many rows is refused before it counts', async () => {
  const { headers, ...asked } = compressed('[]');
  const response = await fetch(`${hindsight.url}${NET}/balance/batch`, {
    ...asked,
    headers: { 'x-api-key': key, ...headers },
  });
  expect([response.status, response.headers.get('x-units')]).toEqual([415, '0']);
});
