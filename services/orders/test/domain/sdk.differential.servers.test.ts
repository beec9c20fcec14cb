/** The protocol's own SDK as an oracle for every order that it can read; its known faults are shown. */
import { describe, expect, it } from '@jest/globals';
import { cases } from '@hindsight/kernel/test/support/rounds.ts';
import { describeOnInstalled } from '@hindsight/tools/servers/suite.ts';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { recoverSigner } from '../../src/adapters/recover-signer.ts';
import { build, casesOf, cosigner, info, loadSdk, swapper, validate } from '../support/sdk-orders.ts';
import type { Case, SdkOrder } from '../support/sdk-orders.ts';
import type { OrderPayload } from '../../src/domain/order.ts';
import type { ValidatedOrder } from '../../src/domain/validate.ts';

/** Orders of each type. After a change of decoding: `ROUNDS=1000 npm test -- sdk.differential`. */
const RUNS = cases(20);
/** The SDK takes 0.3 s to recover a signer, so it recovers those of some; the digests of all are compared. */
const SIGNERS = 2;

/** The SDK's JSON in the form in which we publish the same. */
function asPublished(json: Record<string, unknown>): unknown {
  return JSON.parse(
    JSON.stringify(json, (key, value: unknown) => (key === 'exclusivityOverrideBps' ? String(value) : value)),
  );
}

function text(value: unknown): unknown {
  return Array.isArray(value) ? value.map(String) : String(value);
}

interface Fixture {
  readonly body: OrderPayload;
  readonly validAt: number;
  readonly type?: string;
}

function cosignatureOf(order: SdkOrder): string {
  return (order.info as { cosignature: string }).cosignature;
}

await describeOnInstalled('the SDK', { name: 'uniswapx-sdk', env: process.env }, (folder) => {
  const { sdk, hashTypedData } = loadSdk(folder);
  const CASES = casesOf(sdk);

  /** Hash that the swapper of an order signs, by the SDK. */
  function digestOf(order: SdkOrder): string {
    const { domain, types, values } = order.permitData();
    return hashTypedData(domain, types, values);
  }

  function expectAgreement(order: SdkOrder, payload: OrderPayload, validated: ValidatedOrder): void {
    const ours = validated.order;
    expect(validated.id).toBe(`${payload.chainId}:${payload.orderHash}`);
    expect(validated.digest).toBe(digestOf(order));
    expect(recoverSigner(validated.digest, payload.signature)).toBe(swapper.toLowerCase());
    const json = asPublished(order.toJSON()) as Record<string, unknown>;
    const said: Record<string, unknown> = { ...json, ...(json.cosignerData as object) };
    const filler = said.exclusiveFiller ?? null;
    const common = ['reactor', 'swapper', 'nonce', 'deadline', 'input', 'outputs'] as const;
    const theirs = {
      ...Object.fromEntries(common.map((name) => [name, json[name]])),
      auction: Object.fromEntries(Object.keys(ours.auction).map((name) => [name, text(said[name])])),
      filler: filler === `0x${'0'.repeat(40)}` ? null : filler,
      cosigner: said.cosigner ?? null,
    };
    expect(asPublished(ours as unknown as Record<string, unknown>)).toMatchObject(theirs);
  }

  describe('generated orders', () => {
    it.each(CASES)(`of type $type agree in hash, signer and fields (${RUNS.numRuns})`, (one) => {
      const property = fc.property(info, one.terms, (common, terms) => {
        const { order, payload, validated } = build(one, { ...terms, ...common });
        // As the SDK reads it back: decoding is compared as well.
        expectAgreement(one.sdkClass.parse(order.serialize(), one.chainId), payload, validated);
      });
      for (const [common, terms] of fc.sample(fc.tuple(info, one.terms), { numRuns: SIGNERS, seed: 5 })) {
        const { order, payload } = build(one, { ...terms, ...common });
        expect(order.getSigner(payload.signature)).toBe(swapper);
        expect(validate(payload).signedByAccount).toBe(true);
      }
      fc.assert(property, { ...RUNS, endOnFailure: true });
    });
  });

  describe('real orders', () => {
    const file = new URL('../../../../tests/fixtures/uniswapx/orders.json', import.meta.url);
    const { real } = JSON.parse(readFileSync(file, 'utf8')) as { real: Fixture[] };

    it.each(real.map(({ body, validAt }) => [body.orderHash, body, validAt] as const))(
      '%s agrees in hash and signer',
      (_, body, validAt) => {
        const sdkClass = body.type === 'Dutch_V2' ? sdk.CosignedV2DutchOrder : sdk.DutchOrder;
        const order = sdkClass.parse(body.encodedOrder, body.chainId);
        const ours = validate(body, validAt * 1000);
        expect(ours.id).toBe(`${body.chainId}:${order.hash()}`);
        expect(ours.digest).toBe(digestOf(order));
        expect(recoverSigner(ours.digest, body.signature)).toBe(ours.order.swapper.toLowerCase());
      },
    );
  });

  describe('known faults of the SDK (3.1.0)', () => {
    const one = (type: string): Case => CASES.find((entry) => entry.type === type)!;
    const sampled = (type: string): Record<string, unknown> => {
      const [terms] = fc.sample(one(type).terms, { numRuns: 1, seed: 7 });
      const [common] = fc.sample(info, { numRuns: 1, seed: 7 });
      return { ...terms, ...common };
    };

    it('curves of five points and more are read correctly: the SDK reads 80 packed bits as a number', () => {
      const relativeBlocks = Array.from({ length: 16 }, (_, at) => at * 4_000);
      const long = { relativeBlocks, relativeAmounts: relativeBlocks.map((at) => String(-at)) };
      const terms = sampled('Dutch_V3');
      const input = { ...(terms.input as object), curve: long };
      const { order, payload } = build(one('Dutch_V3'), { ...terms, input });
      expect(() => sdk.CosignedV3DutchOrder.parse(payload.encodedOrder, 42161)).toThrow(/overflow/);
      const ours = validate(payload);
      expect(ours.order.input.curve).toEqual(long);
      expect(ours.id).toBe(`42161:${order.hash()}`);
    });

    it.each(['Dutch_V2', 'Priority'])(
      'the cosigner of %s orders is found: the SDK prefixes the digest as if it were a personal message',
      (type) => {
        const { order, payload } = build(one(type), sampled(type));
        const theirs = order as unknown as { recoverCosigner: () => string };
        expect(theirs.recoverCosigner()).not.toBe(cosigner);
        expect(recoverSigner(order.cosignatureHash!(order.info.cosignerData), cosignatureOf(order))).toBe(
          cosigner.toLowerCase(),
        );
        expect(validate(payload).order.cosigner).toBe(cosigner);
      },
    );

    it('a deadline beyond any date is refused: the SDK throws an arithmetic fault', () => {
      const { payload } = build(one('Dutch_V2'), sampled('Dutch_V2'));
      const [terms] = fc.sample(info, { numRuns: 1, seed: 7 });
      const word = (value: bigint): string => value.toString(16).padStart(64, '0');
      const encodedOrder = payload.encodedOrder.replace(word(BigInt(terms!.deadline)), word(2n ** 256n - 1n));
      expect(encodedOrder).not.toBe(payload.encodedOrder);
      expect(() => sdk.CosignedV2DutchOrder.parse(encodedOrder, 1)).toThrow(/overflow/);
      expect(() => validate({ ...payload, encodedOrder })).toThrow('beyond the year 9999');
    });
  });
});
