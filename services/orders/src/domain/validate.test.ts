import { describe, expect, it } from '@jest/globals';
import { recoverSigner } from '../adapters/recover-signer.ts';
import { signedOrders, type SignedOrder } from '../../test/support/fixtures.ts';
import type { OrderPayload } from './order.ts';
import { RefusedOrder, type RefusalReason } from './refusal.ts';
import { validateOrder, type ValidatedOrder } from './validate.ts';

const all = signedOrders();
const byTitle = (start: string): SignedOrder => all.find(({ title }) => title.startsWith(start))!;
const v2 = byTitle('Dutch_V2 exclusive');

function payloadOf({ body }: SignedOrder, fields: Partial<OrderPayload> = {}): OrderPayload {
  return { ...body, createdAt: '2026-01-01T00:00:00.000Z', ...fields };
}

function validate(
  order: SignedOrder,
  fields: Partial<OrderPayload> = {},
  now = order.validAt * 1000,
): ValidatedOrder {
  const chain = { name: order.network, chainId: order.body.chainId };
  return validateOrder(payloadOf(order, fields), { chain, now, recover: recoverSigner });
}

function reasonOf(work: () => unknown): RefusalReason | 'accepted' {
  try {
    work();
    return 'accepted';
  } catch (error) {
    if (error instanceof RefusedOrder) return error.reason;
    throw error;
  }
}

describe('a valid signed order', () => {
  it.each(all.map((order) => [order.title, order] as const))('is accepted: %s', (_, order) => {
    const { id, digest, signedByAccount, order: decoded } = validate(order);
    expect(id).toBe(`${order.body.chainId}:${order.body.orderHash}`);
    expect(digest).toBe(order.digest);
    expect(signedByAccount).toBe(order.erc1271 === undefined);
    expect(decoded.swapper.toLowerCase()).toBe(order.body.offerer);
    expect((decoded.filler ?? `0x${'0'.repeat(40)}`).toLowerCase()).toBe(
      order.body.filler ?? `0x${'0'.repeat(40)}`,
    );
    expect(decoded.type).toBe(order.body.type);
  });

  it('needs neither type nor offerer nor filler', () => {
    const { order } = validate(v2, { type: undefined, offerer: undefined, filler: undefined });
    expect(order.type).toBe('Dutch_V2');
  });

  it('is accepted in the second of its deadline and not in the next', () => {
    const { deadline } = validate(v2).order;
    expect(reasonOf(() => validate(v2, {}, deadline * 1000 + 999))).toBe('accepted');
    expect(reasonOf(() => validate(v2, {}, deadline * 1000 + 1000))).toBe('deadline');
  });
});

it('counts as a Limit order only if no amount decays', () => {
  const dutch = all.find(({ body }) => body.type === 'Dutch')!;
  expect(reasonOf(() => validate(dutch, { type: 'Limit' }))).toBe('type');
  expect(reasonOf(() => validate(byTitle('Limit'), { type: 'Dutch' }))).toBe('accepted');
});

describe('each check refuses with its own reason', () => {
  const someone = `0x${'12'.repeat(20)}`;
  const cases: readonly [RefusalReason, string, () => unknown][] = [
    ['chain', 'another chain than the path’s', () => validate(v2, { chainId: 10 })],
    ['type', 'a type of another encoding', () => validate(v2, { type: 'Dutch_V3' })],
    ['type', 'an unsupported type', () => validate(v2, { type: 'Hybrid' })],
    ['offerer', 'another offerer', () => validate(v2, { offerer: someone })],
    ['filler', 'another filler', () => validate(v2, { filler: someone })],
    ['order-hash', 'another hash', () => validate(v2, { orderHash: `0x${'00'.repeat(32)}` })],
    ['encoding', 'half an order', () => validate(v2, { encodedOrder: v2.body.encodedOrder.slice(0, 1_000) })],
    ['encoding', 'a single byte', () => validate(v2, { encodedOrder: '0x00' })],
    [
      'encoding',
      'a trailing word',
      () => validate(v2, { encodedOrder: `${v2.body.encodedOrder}${'00'.repeat(32)}` }),
    ],
    [
      'reactor',
      'the same reactor on another chain',
      () => validate({ ...v2, body: { ...v2.body, chainId: 10 } }),
    ],
    [
      'cosignature',
      'modified cosigner data',
      () => {
        // The exclusive filler appears once, in the cosigner's data.
        const encodedOrder = v2.body.encodedOrder.replaceAll(v2.body.filler!.slice(2), someone.slice(2));
        return validate(v2, { encodedOrder, filler: someone });
      },
    ],
  ];

  it.each(cases)('%s: %s', (reason, _, work) => {
    expect(reasonOf(work)).toBe(reason);
  });
});

describe('a signature by another key', () => {
  const { signature } = v2.body;
  const HALF = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
  const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const otherV = signature.endsWith('1b') ? '1c' : '1b';
  const high = `${signature.slice(0, 66)}${(ORDER - s).toString(16).padStart(64, '0')}${otherV}`;

  it.each([
    ['the higher s, which recovers the same signer', high],
    ['the other v', signature.slice(0, 130) + otherV],
    ['v 0 or 1', signature.slice(0, 130) + (signature.endsWith('1b') ? '00' : '01')],
    ['64 bytes', signature.slice(0, 130)],
    ['66 bytes', `${signature}00`],
    ['r zero', `0x${'00'.repeat(32)}${signature.slice(66)}`],
    ['s zero', `${signature.slice(0, 66)}${'00'.repeat(32)}1b`],
    ['r above the order', `0x${'ff'.repeat(32)}${signature.slice(66)}`],
  ])('is left to a contract to confirm: %s', (_, forged) => {
    expect(validate(v2, { signature: forged }).signedByAccount).toBe(false);
  });

  it('was tested with a high s that would recover the swapper', () => {
    expect(s <= HALF).toBe(true);
    expect(recoverSigner(v2.digest, high)).toBe(v2.body.offerer);
  });
});

describe('a mutation', () => {
  /** Every byte of short texts, some of long ones. */
  function positions(hex: string): number[] {
    const bytes = (hex.length - 2) / 2;
    const step = Math.max(1, Math.floor(bytes / 60));
    return Array.from({ length: Math.ceil(bytes / step) }, (_, at) => at * step);
  }

  function flip(hex: string, at: number): string {
    const byte = Number(`0x${hex.slice(2 + at * 2, 4 + at * 2)}`) ^ (1 << (at % 8));
    return hex.slice(0, 2 + at * 2) + byte.toString(16).padStart(2, '0') + hex.slice(4 + at * 2);
  }

  it.each(all.map((order) => [order.title, order] as const))(
    'of a byte is never accepted: %s',
    (_, order) => {
      for (const field of ['encodedOrder', 'orderHash', 'signature'] as const) {
        for (const at of positions(order.body[field])) {
          const changed = { [field]: flip(order.body[field], at) };
          const outcome = reasonOf(() => {
            // Data that the account has not signed, only a contract could confirm, over another digest or
            // signature.
            if (!validate(order, changed).signedByAccount) throw new RefusedOrder('signature', '');
          });
          expect([field, at, outcome]).not.toEqual([field, at, 'accepted']);
        }
      }
    },
  );
});
