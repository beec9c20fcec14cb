/** Bodies that no honest sender sends, over HTTP: each gets a cheap 4xx that names the fault. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { forMachines } from '@hindsight/kernel/test/support/for-machines.ts';
import fc from 'fast-check';
import { signedOrders } from './support/fixtures.ts';
import { measured } from './support/measured.ts';
import { runOrders, type Answer, type RunningOrders } from './support/run-orders.ts';

const PATH = '/v1/eth-mainnet/orders/dex-webhook';
const NO_NODE = 'http://127.0.0.1:9';
const order = signedOrders().find(({ title }) => title.startsWith('Dutch_V2 exclusive'))!;
const good: Readonly<Record<string, unknown>> = { ...order.body };
const REQUIRED = ['orderHash', 'createdAt', 'signature', 'orderStatus', 'encodedOrder', 'chainId'];
const HEX = ['orderHash', 'signature', 'encodedOrder', 'offerer', 'filler'];

let orders: RunningOrders;

beforeAll(async () => {
  orders = await runOrders(NO_NODE);
  orders.setTime(order.validAt * 1000);
  // The first request compiles; what is measured afterwards is the service as it runs.
  for (let n = 0; n < 20; n++) await post(JSON.stringify({ ...good, chainId: 'one' }));
});
afterAll(() => orders.stop());

const post = (body: string, type = 'application/json'): Promise<Answer> =>
  orders.post(PATH, body, type === '' ? {} : { 'content-type': type });

async function expectRefused(body: string, named: RegExp, type?: string): Promise<void> {
  const answer = await measured(() => post(body, type));
  const { status } = answer;
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  const message = expect.stringMatching(named);
  expect(answer.body).toEqual({ message, error: expect.any(String), statusCode: status, ...forMachines() });
  expect(answer.milliseconds).toBeLessThan(1_000);
  expect(answer.processorMs).toBeLessThan(50);
}

const namely = (field: string): RegExp => new RegExp(`^${field}(: .| is required$)`);
const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

/** Valid for no field at all. */
const nonsense = fc.oneof(
  fc.boolean(),
  fc.double(),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 300n }).map(Number),
  fc.integer({ max: 0 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.string({ minLength: 5_000, maxLength: 20_000 }),
  fc.array(fc.anything({ maxDepth: 2 }), { maxLength: 5 }),
  fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, maxKeys: 5 }),
  fc.integer({ min: 1, max: 200 }).map(nested),
);

describe('a body with one invalid field', () => {
  const fields = fc.constantFrom(...REQUIRED.filter((name) => name !== 'createdAt'), 'offerer', 'filler');

  it('is refused cheaply, with a message that names the field', async () => {
    const property = fc.asyncProperty(fields, nonsense, async (field, value) => {
      const body = JSON.stringify({ ...good, [field]: value });
      // Values that JSON cannot express become null, which counts as missing in an optional field.
      fc.pre((JSON.parse(body) as Record<string, unknown>)[field] !== null || REQUIRED.includes(field));
      await expectRefused(body, namely(field));
    });
    await fc.assert(property, { numRuns: 300, seed: 11 });
  });

  it.each(REQUIRED)('is refused if the field is missing: %s', async (field) => {
    const { [field]: _, ...others } = good;
    await expectRefused(JSON.stringify(others), namely(field));
    await expectRefused(JSON.stringify({ ...good, [field]: null }), namely(field));
  });

  it.each([-1, 0, 1e21, '1e400', '', 'now', [], {}, true])(
    'is refused for an invalid time: %j',
    async (time) => {
      await expectRefused(JSON.stringify({ ...good, createdAt: time }), namely('createdAt'));
    },
  );

  it.each(HEX)('is refused for invalid hexadecimal: %s', async (field) => {
    const value = good[field] as string;
    for (const wrong of [
      `${value}0`,
      `${value.slice(0, -1)}g`,
      value.slice(2),
      ` ${value}`,
      `${value}\u0000`,
      '0x',
      '０ｘ１２',
    ]) {
      await expectRefused(JSON.stringify({ ...good, [field]: wrong }), namely(field));
    }
  });
});

describe('a body that is not an order', () => {
  it('is refused as a whole, whatever JSON it is', async () => {
    const property = fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
      await expectRefused(JSON.stringify(value), /^(?:body: .|orderHash is required$)/);
    });
    await fc.assert(property, { numRuns: 200, seed: 12 });
  });

  it('is refused when truncated, at any position', async () => {
    const whole = JSON.stringify(good);
    for (let at = 0; at < whole.length; at += 37) await expectRefused(whole.slice(0, at), /^body: ./);
  });

  it('is refused however deeply nested', async () => {
    await expectRefused('['.repeat(32_000) + ']'.repeat(32_000), /^body: ./);
    await expectRefused('{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000), /^body: ./);
    await expectRefused('['.repeat(60_000), /^body: ./);
  });

  it('is refused for thousands of values before it is parsed', async () => {
    const names = Array.from({ length: 6_000 }, (_, i) => `"${i.toString(36)}":1`).join();
    for (const body of [`{${names}}`, `[${'0,'.repeat(2_000)}0]`, '['.repeat(2_000)])
      await expectRefused(body, /^body: it has more than 1000 values and names; expected an order$/);
  });

  it.each(['__proto__', 'constructor'])('cannot reach a prototype through %s', async (name) => {
    const poison = `{"${name}":{"prototype":{"duplicate":true}},${JSON.stringify(good).slice(1)}`;
    await expectRefused(poison, /^body: ./);
    expect(({} as { duplicate?: unknown }).duplicate).toBeUndefined();
  });

  it('is refused for its content type before it is parsed', async () => {
    const body = JSON.stringify(good);
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      '',
    ]) {
      await expectRefused(body, /^content-type: ./, type);
    }
  });

  it('is refused for its size', async () => {
    await expectRefused(JSON.stringify({ ...good, note: 'a'.repeat(65_536) }), /^body: ./);
  });
});

describe('a body with a duplicate name', () => {
  const twice = (field: string, first: unknown, last: unknown): string =>
    `{${JSON.stringify(field)}:${JSON.stringify(first)},${JSON.stringify({ ...good, [field]: undefined }).slice(1, -1)},${JSON.stringify(field)}:${JSON.stringify(last)}}`;

  it('is read with the last value, as JSON is read everywhere', async () => {
    for (const field of REQUIRED) await expectRefused(twice(field, good[field], 'nonsense'), namely(field));
    expect(await post(twice('chainId', 5, 1))).toMatchObject({ status: 201, body: { duplicate: false } });
    const [event] = await orders.published(1);
    expect(event!.data.chainId).toBe(1);
  });
});
