/** Orders of every type, made at random and built by the protocol's own SDK. */
import { computeAddress, getAddress, id, SigningKey } from 'ethers';
import fc from 'fast-check';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { recoverSigner } from '../../src/adapters/recover-signer.ts';
import type { OrderPayload } from '../../src/domain/order.ts';
import { validateOrder, type ValidatedOrder } from '../../src/domain/validate.ts';

/** The package, as the recipe `uniswapx-sdk` of tools/servers installs it. */
const SDK = '@uniswap/uniswapx-sdk';

/** The time of the orders, Unix milliseconds. */
export const NOW = Date.UTC(2026, 0, 1);
const swapperKey = new SigningKey(id('a swapper'));
const cosignerKey = new SigningKey(id('a cosigner'));
/** The signer of every order that is built. */
export const swapper = computeAddress(swapperKey.publicKey);
/** The cosigner of those that need one. */
export const cosigner = computeAddress(cosignerKey.publicKey);

/** The interface that all of the SDK's order classes share. */
export interface SdkOrder {
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

/** The protocol's SDK, as far as it is used here. */
export interface Sdk {
  readonly DutchOrder: SdkClass;
  readonly CosignedV2DutchOrder: SdkClass;
  readonly CosignedV3DutchOrder: SdkClass;
  readonly CosignedPriorityOrder: SdkClass;
}

/** Hash of typed data, by the ethers that the SDK brings (version 5). */
type HashTypedData = (domain: unknown, types: unknown, values: unknown) => string;

/** Loads the SDK from the folder that it was installed in. */
export function loadSdk(folder: string): { readonly sdk: Sdk; readonly hashTypedData: HashTypedData } {
  // It does not load as an ES module: the imports inside it lack their extensions.
  const require = createRequire(join(folder, 'package.json'));
  const sdk = require(SDK) as Sdk;
  const { utils } = createRequire(require.resolve(SDK))('ethers') as {
    utils: { _TypedDataEncoder: { hash: HashTypedData } };
  };
  return { sdk, hashTypedData: (...data) => utils._TypedDataEncoder.hash(...data) };
}

/** A type of order: the SDK's way to build it, and its ingredients. */
export interface Case {
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
const zeroOr = fc.oneof(fc.constant(`0x${'0'.repeat(40)}`), address);

interface Amounts {
  readonly startAmount: string;
  readonly endAmount: string;
}

/** Fields of all order types. */
export const info = fc.record({
  nonce: uint,
  deadline: fc.integer({ min: NOW / 1000, max: 4_000_000_000 }),
  additionalValidationContract: zeroOr,
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
  exclusiveFiller: zeroOr,
  exclusivityOverrideBps: bps.map(String),
  input: dutchInput,
  outputs: dutchOutputs,
});

/** Limit orders are Dutch ones with amounts that do not decay. */
function flat<Terms extends { input: Amounts; outputs: Amounts[] }>(terms: Terms): Terms {
  const stay = <T extends Amounts>(amounts: T): T => ({ ...amounts, endAmount: amounts.startAmount });
  return { ...terms, input: stay(terms.input), outputs: terms.outputs.map(stay) };
}

const v3Input = { token: address, startAmount: amount, curve, adjustmentPerGweiBaseFee: amount };

/** Every type that the SDK knows. */
export const casesOf = (sdk: Sdk): readonly Case[] => [
  ...[
    { type: 'Dutch', terms: dutchTerms },
    { type: 'Limit', terms: dutchTerms.map(flat) },
  ].map((dutch) => ({
    ...dutch,
    chainId: 1,
    reactor: '0x6000da47483062A0D734Ba3dc7576Ce6A0B645C4',
    sdkClass: sdk.DutchOrder,
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
        exclusiveFiller: zeroOr,
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
        exclusiveFiller: zeroOr,
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
export function build({ sdkClass, chainId, reactor, type }: Case, terms: Record<string, unknown>): Built {
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

/** As the service does it. */
export function validate(payload: OrderPayload, now = NOW): ValidatedOrder {
  const chain = { name: 'the chain', chainId: payload.chainId };
  return validateOrder(payload, { chain, now, recover: recoverSigner });
}
