/** The protocol's own SDK as an oracle, for every order that it can read; where it is wrong, that is shown. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { computeAddress, getAddress, id, SigningKey } from 'ethers';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as Sdk from '@uniswap/uniswapx-sdk';
import { recoverSigner } from '../adapters/recover-signer.ts';
import type { OrderPayload } from './order.ts';
import { validateOrder, type ValidatedOrder } from './validate.ts';

// The SDK does not load as an ES module: the imports inside it lack their extensions.
const require = createRequire(import.meta.url);
const sdk = require('@uniswap/uniswapx-sdk') as typeof Sdk;
/** The SDK's own ethers (version 5), by which it hashes what is signed. */
const { utils } = createRequire(require.resolve('@uniswap/uniswapx-sdk'))('ethers') as {
  utils: { _TypedDataEncoder: { hash: (domain: unknown, types: unknown, values: unknown) => string } };
};

const RUNS = 1_000;
/** The SDK takes 0.3 s to recover a signer, so it is asked for some only; for all, the digests are compared. */
const SIGNERS = 5;
const NOW = Date.UTC(2026, 0, 1);
const swapperKey = new SigningKey(id('a swapper'));
const cosignerKey = new SigningKey(id('a cosigner'));
const swapper = computeAddress(swapperKey.publicKey);
const cosigner = computeAddress(cosignerKey.publicKey);

/** What all of the SDK's order classes can do. */
interface SdkOrder {
  readonly info: { readonly cosignerData?: unknown };
  serialize(): string;
  hash(): string;
  getSigner(signature: string): string;
  permitData(): { readonly domain: unknown; readonly types: unknown; readonly values: unknown };
  cosignatureHash?(data: unknown): string;
  toJSON(): Record<string, unknown>;
}

interface SdkClass {
  fromJSON(json: never, chainId: number): SdkOrder;
  parse(encoded: string, chainId: number): SdkOrder;
}

interface Case {
  readonly type: string;
  readonly chainId: number;
  readonly reactor: string;
  readonly sdkClass: SdkClass;
  readonly terms: fc.Arbitrary<Record<string, unknown>>;
}

const uint = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String);
const amount = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 24n }).map(String), uint);
const address = fc
  .bigInt({ min: 0n, max: 2n ** 160n - 1n })
  .map((n) => getAddress(`0x${n.toString(16).padStart(40, '0')}`));
const bytes = fc.uint8Array({ maxLength: 100 }).map((array) => `0x${Buffer.from(array).toString('hex')}`);
const seconds = fc.integer({ min: 0, max: 2 ** 40 });
const blocks = fc.integer({ min: 0, max: 0xffff });
const bps = fc.integer({ min: 0, max: 10_000 });
const nobodyOr = fc.oneof(fc.constant(`0x${'0'.repeat(40)}`), address);

const info = fc.record({
  nonce: uint,
  deadline: fc.integer({ min: NOW / 1000, max: 4_000_000_000 }),
  additionalValidationContract: nobodyOr,
  additionalValidationData: bytes,
});
const dutchInput = fc.record({ token: address, startAmount: amount, endAmount: amount });
const dutchOutputs = fc.array(
  fc.record({ token: address, startAmount: amount, endAmount: amount, recipient: address }),
  { minLength: 1, maxLength: 4 },
);
const overrides = { inputOverride: amount, outputOverrides: fc.array(amount, { maxLength: 4 }) };

/** As many points as the SDK itself can read: see its known fault below. */
const curve = fc.integer({ min: 0, max: 3 }).chain((length) =>
  fc.record({
    relativeBlocks: fc.array(blocks, { minLength: length, maxLength: length }),
    relativeAmounts: fc.array(fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n }).map(String), {
      minLength: length,
      maxLength: length,
    }),
  }),
);

const dutchTerms = fc.record({
  decayStartTime: seconds,
  decayEndTime: seconds,
  exclusiveFiller: nobodyOr,
  exclusivityOverrideBps: bps.map(String),
  input: dutchInput,
  outputs: dutchOutputs,
});

const v3Input = { token: address, startAmount: amount, curve, adjustmentPerGweiBaseFee: amount };

const CASES: readonly Case[] = [
  ...['Dutch', 'Limit'].map((type) => ({
    type,
    chainId: 1,
    reactor: '0x6000da47483062A0D734Ba3dc7576Ce6A0B645C4',
    sdkClass: sdk.DutchOrder as unknown as SdkClass,
    terms: dutchTerms,
  })),
  {
    type: 'Dutch_V2',
    chainId: 1,
    reactor: '0x00000011F84B9aa48e5f8aA8B9897600006289Be',
    sdkClass: sdk.CosignedV2DutchOrder,
    terms: fc.record({
      input: dutchInput,
      outputs: dutchOutputs,
      cosigner: fc.constant(cosigner),
      cosignerData: fc.record({
        decayStartTime: seconds,
        decayEndTime: seconds,
        exclusiveFiller: nobodyOr,
        exclusivityOverrideBps: bps,
        ...overrides,
      }),
    }),
  },
  {
    type: 'Dutch_V3',
    chainId: 42161,
    reactor: '0xB274d5F4b833b61B340b654d600A864fB604a87c',
    sdkClass: sdk.CosignedV3DutchOrder,
    terms: fc.record({
      startingBaseFee: amount,
      input: fc.record({ ...v3Input, maxAmount: amount }),
      outputs: fc.array(fc.record({ ...v3Input, recipient: address, minAmount: amount }), { maxLength: 4 }),
      cosigner: fc.constant(cosigner),
      cosignerData: fc.record({
        decayStartBlock: seconds,
        exclusiveFiller: nobodyOr,
        exclusivityOverrideBps: bps,
        ...overrides,
      }),
    }),
  },
  {
    type: 'Priority',
    chainId: 8453,
    reactor: '0x000000001Ec5656dcdB24D90DFa42742738De729',
    sdkClass: sdk.CosignedPriorityOrder,
    terms: fc.record({
      auctionStartBlock: amount,
      baselinePriorityFeeWei: amount,
      input: fc.record({ token: address, amount, mpsPerPriorityFeeWei: amount }),
      outputs: fc.array(
        fc.record({ token: address, amount, mpsPerPriorityFeeWei: amount, recipient: address }),
        {
          maxLength: 4,
        },
      ),
      cosigner: fc.constant(cosigner),
      cosignerData: fc.record({ auctionTargetBlock: amount }),
    }),
  },
];

interface Built {
  readonly order: SdkOrder;
  readonly payload: OrderPayload;
  readonly validated: ValidatedOrder;
}

/** Has the SDK build the order, and signs it. */
function build({ sdkClass, chainId, reactor, type }: Case, terms: Record<string, unknown>): Built {
  const json = { ...terms, reactor, swapper, chainId };
  const draft = sdkClass.fromJSON({ ...json, cosignature: '0x' } as never, chainId);
  const cosignature = draft.cosignatureHash
    ? cosignerKey.sign(draft.cosignatureHash(draft.info.cosignerData)).serialized
    : '0x';
  const order = sdkClass.fromJSON({ ...json, cosignature } as never, chainId);
  const unsigned: OrderPayload = {
    orderHash: order.hash(),
    createdAt: new Date(NOW).toISOString(),
    signature: `0x${'00'.repeat(65)}`,
    orderStatus: 'open',
    encodedOrder: order.serialize(),
    chainId,
    type,
  };
  const validated = validate(unsigned);
  const signature = swapperKey.sign(validated.digest).serialized;
  return { order, payload: { ...unsigned, signature }, validated };
}

function validate(payload: OrderPayload, now = NOW): ValidatedOrder {
  const chain = { name: 'the chain', chainId: payload.chainId };
  return validateOrder(payload, { chain, now, recover: recoverSigner });
}

/** The SDK's JSON in the form in which we publish the same. */
function asPublished(json: Record<string, unknown>): unknown {
  return JSON.parse(
    JSON.stringify(json, (key, value: unknown) => (key === 'exclusivityOverrideBps' ? String(value) : value)),
  );
}

function expectAgreement(order: SdkOrder, payload: OrderPayload, validated: ValidatedOrder): void {
  const ours = validated.order;
  expect(validated.id).toBe(`${payload.chainId}:${payload.orderHash}`);
  const { domain, types, values } = order.permitData();
  expect(validated.digest).toBe(utils._TypedDataEncoder.hash(domain, types, values));
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

function text(value: unknown): unknown {
  return Array.isArray(value) ? value.map(String) : String(value);
}

describe('against the SDK, generated orders', () => {
  it.each(CASES)(
    `of type $type agree in hash, signer and fields (${RUNS})`,
    (one) => {
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
      fc.assert(property, { numRuns: RUNS, seed: 20_261_121, endOnFailure: true });
    },
    300_000,
  );
});

interface Fixture {
  readonly body: OrderPayload;
  readonly validAt: number;
  readonly type?: string;
}

describe('against the SDK, real orders', () => {
  const file = new URL('../../../../tests/fixtures/uniswapx/orders.json', import.meta.url);
  const { real } = JSON.parse(readFileSync(file, 'utf8')) as { real: Fixture[] };

  it.each(real.map(({ body, validAt }) => [body.orderHash, body, validAt] as const))(
    '%s agrees in hash and signer',
    (_, body, validAt) => {
      const sdkClass = body.type === 'Dutch_V2' ? sdk.CosignedV2DutchOrder : sdk.DutchOrder;
      const order = sdkClass.parse(body.encodedOrder, body.chainId);
      const ours = validate(body, validAt * 1000);
      expect(ours.id).toBe(`${body.chainId}:${order.hash()}`);
      expect(order.getSigner(body.signature)).toBe(ours.order.swapper);
    },
  );
});

describe('where the SDK (3.1.0) is wrong, we are not', () => {
  const one = (type: string): Case => CASES.find((entry) => entry.type === type)!;
  const sampled = (type: string): Record<string, unknown> => {
    const [terms] = fc.sample(one(type).terms, { numRuns: 1, seed: 7 });
    const [common] = fc.sample(info, { numRuns: 1, seed: 7 });
    return { ...terms, ...common };
  };

  it('reads curves of five points and more: the SDK takes 80 packed bits for a number', () => {
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
    'finds the cosigner of %s orders: the SDK prefixes the digest as if it were a personal message',
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

  it('refuses a deadline beyond any date, on which the SDK throws an arithmetic fault', () => {
    const { payload } = build(one('Dutch_V2'), sampled('Dutch_V2'));
    const [terms] = fc.sample(info, { numRuns: 1, seed: 7 });
    const word = (value: bigint): string => value.toString(16).padStart(64, '0');
    const encodedOrder = payload.encodedOrder.replace(word(BigInt(terms!.deadline)), word(2n ** 256n - 1n));
    expect(encodedOrder).not.toBe(payload.encodedOrder);
    expect(() => sdk.CosignedV2DutchOrder.parse(encodedOrder, 1)).toThrow(/overflow/);
    expect(() => validate({ ...payload, encodedOrder })).toThrow('beyond the year 9999');
  });
});

function cosignatureOf(order: SdkOrder): string {
  return (order.info as { cosignature: string }).cosignature;
}
