/** Every accepted order with one byte changed, sent over HTTP: never accepted, and never a 5xx. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { forMachines } from '@hindsight/kernel/test/support/for-machines.ts';
import { startEmptyChain, type Anvil } from '@hindsight/devchain/anvil.ts';
import { Pool } from 'undici';
import { signedOrders, type SignedOrder } from './support/fixtures.ts';
import { runOrders, type RunningOrders } from './support/run-orders.ts';
import { approvesExactly, setCode } from './support/wallets.ts';

/** Bytes of a long text that are changed. */
const SAMPLES = 60;
/** The same in an order that differs from another one by its values alone. */
const FEW = 6;
const AT_ONCE = 8;
const FIELDS = ['encodedOrder', 'signature', 'orderHash'] as const;
const all = signedOrders();

let chain: Anvil;
let orders: RunningOrders;
let pool: Pool;

beforeAll(async () => {
  chain = await startEmptyChain();
  orders = await runOrders(chain.url);
  pool = new Pool(await orders.listen(), { connections: AT_ONCE });
  const { erc1271, digest, body } = all.find((order) => order.erc1271)!;
  await setCode(chain.url, erc1271!.wallet, approvesExactly(digest, body.signature));
});

afterAll(async () => {
  await pool.close();
  await orders.stop();
  await chain.stop();
});

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function post({ network, body }: SignedOrder): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'x-hindsight-project': 'p' };
  const path = `/v1/${network}/orders/dex-webhook`;
  const answer = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
  return { status: answer.statusCode, body: (await answer.body.json()) as Answer['body'] };
}

/** True for a found order after the first of its type. */
function isAnother(order: SignedOrder): boolean {
  const same = all.filter(({ isFound, body }) => isFound && body.type === order.body.type);
  return same.indexOf(order) > 0;
}

/** Every byte of short texts, some of long ones, each with one bit changed. */
function changes(hex: string, samples: number): string[] {
  const bytes = Buffer.from(hex.slice(2), 'hex');
  const step = Math.max(1, Math.floor(bytes.length / samples));
  return Array.from({ length: Math.ceil(bytes.length / step) }, (_, sample) => {
    const changed = Buffer.from(bytes);
    changed[sample * step]! ^= 1 << (sample % 8);
    return `0x${changed.toString('hex')}`;
  });
}

/**
 * Not accepted: refused with the field's name; or, if no account's key signed and the chain has not answered whether
 * the swapper is a contract, kept until the contract confirms it, and not published.
 */
function expectNotAccepted(answer: Answer, field: string): void {
  if (field === 'signature' && answer.status === 201) {
    expect(answer.body).toMatchObject({ pending: true });
    return;
  }
  const message = expect.stringMatching(/^(?:encodedOrder|signature|orderHash|offerer|filler|type): /);
  expect(answer).toEqual({
    status: 422,
    body: { message, error: 'Unprocessable Entity', statusCode: 422, ...forMachines() },
  });
}

describe('an order with a changed byte', () => {
  it.each(all.map((order) => [order.title, order] as const))('is not accepted: %s', async (_, order) => {
    orders.setTime(order.validAt * 1000);
    const samples = isAnother(order) ? FEW : SAMPLES;
    const changed = FIELDS.flatMap((field) =>
      changes(order.body[field], samples).map((value) => ({ field, value })),
    );
    expect(changed.length).toBeGreaterThan(2.5 * samples);
    while (changed.length > 0) {
      const some = changed.splice(0, AT_ONCE);
      const answers = await Promise.all(
        some.map(({ field, value }) => post({ ...order, body: { ...order.body, [field]: value } })),
      );
      answers.forEach((one, at) => expectNotAccepted(one, some[at]!.field));
    }
    expect(await orders.published(0)).toEqual([]);
  });

  it('does not affect the genuine ones', async () => {
    for (const order of all) {
      orders.setTime(order.validAt * 1000);
      expect(await post(order)).toMatchObject({ status: 201, body: { duplicate: false } });
    }
    const published = await orders.published(all.length);
    expect(published.map(({ id }) => id).sort()).toEqual(
      all.map(({ body }) => `${body.chainId}:${body.orderHash}`).sort(),
    );
  });
});
