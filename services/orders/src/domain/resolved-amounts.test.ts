/** Amounts by the type of an order, and their comparison with the transfers of a transaction. */
import { describe, expect, it } from '@jest/globals';
import { TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import type { DecodedOrder } from './order.ts';
import { ORDER_TOPICS } from './order-logs.ts';
import { paidAmounts, type TransactionLog } from './paid-amounts.ts';
import { resolveAmounts, type FillTerms } from './resolved-amounts.ts';

const addressOf = (byte: string): string => `0x${byte.repeat(20)}`;
const [SOLD, BOUGHT, SWAPPER, FEES, FILLER, REACTOR] = ['a1', 'b2', 'c3', 'd4', 'e5', 'f6'].map(
  addressOf,
) as [string, string, string, string, string, string];
const NO_ONE = `0x${'0'.repeat(40)}`;

const FILL: FillTerms = { filler: FILLER, height: 105, timestamp: 1_050, baseFee: 10n, gasPrice: 15n };

function orderOf(fields: Partial<DecodedOrder>): DecodedOrder {
  return {
    type: 'Dutch_V2',
    reactor: REACTOR,
    swapper: SWAPPER,
    nonce: '1',
    deadline: 2_000,
    additionalValidationContract: NO_ONE,
    additionalValidationData: '0x',
    input: { token: SOLD, startAmount: '1000', endAmount: '1000' },
    outputs: [{ token: BOUGHT, recipient: SWAPPER, startAmount: '1000', endAmount: '901' }],
    filler: null,
    cosigner: null,
    auction: { decayStartTime: '1000', decayEndTime: '1100', exclusivityOverrideBps: '0' },
    ...fields,
  };
}

/** Input and outputs, as numbers. */
function amounts(order: DecodedOrder, fill: Partial<FillTerms> = {}): readonly bigint[] {
  const { input, outputs } = resolveAmounts(order, { ...FILL, ...fill });
  return [input.amount, ...outputs.map(({ amount }) => amount)];
}

describe('a Dutch order', () => {
  it.each([
    ['before its decay', 999, 1_000n],
    ['at its beginning', 1_000, 1_000n],
    ['in the middle, its change rounded down', 1_050, 951n],
    ['at its end', 1_100, 901n],
    ['later', 1_500, 901n],
  ])('%s', (_, timestamp, output) => {
    expect(amounts(orderOf({ type: 'Dutch' }), { timestamp })).toEqual([1_000n, output]);
  });

  it('has an input that rises', () => {
    const input = { token: SOLD, startAmount: '1000', endAmount: '1099' };
    expect(amounts(orderOf({ input }))).toEqual([1_049n, 951n]);
  });

  it('begins with what its cosigner gave, zero for nothing', () => {
    const auction = { ...orderOf({}).auction, inputOverride: '990', outputOverrides: ['1100'] };
    expect(amounts(orderOf({ auction }), { timestamp: 1_000 })).toEqual([990n, 1_100n]);
    const nothing = { ...auction, inputOverride: '0', outputOverrides: ['0'] };
    expect(amounts(orderOf({ auction: nothing }), { timestamp: 1_000 })).toEqual([1_000n, 1_000n]);
  });

  it('costs another filler more while it is exclusive, rounded up but in the first version', () => {
    const auction = { ...orderOf({}).auction, exclusivityOverrideBps: '3' };
    const order = orderOf({ auction, filler: addressOf('77') });
    expect(amounts(order, { timestamp: 1_000 })).toEqual([1_000n, 1_001n]);
    expect(amounts({ ...order, type: 'Dutch' }, { timestamp: 1_000 })).toEqual([1_000n, 1_000n]);
    expect(amounts(order, { timestamp: 1_001 })).toEqual([1_000n, 1_000n]);
    expect(
      amounts({ ...order, filler: FILLER.toUpperCase().replace('0X', '0x') }, { timestamp: 1_000 }),
    ).toEqual([1_000n, 1_000n]);
  });
});

describe('a Dutch_V3 order', () => {
  const curve = { relativeBlocks: [4, 10], relativeAmounts: ['100', '-50'] };
  const order = orderOf({
    type: 'Dutch_V3',
    input: {
      token: SOLD,
      startAmount: '1000',
      maxAmount: '1200',
      curve: { relativeBlocks: [], relativeAmounts: [] },
      adjustmentPerGweiBaseFee: '7',
    },
    outputs: [
      {
        token: BOUGHT,
        recipient: SWAPPER,
        startAmount: '1000',
        minAmount: '880',
        curve,
        adjustmentPerGweiBaseFee: '3',
      },
    ],
    auction: { decayStartBlock: '100', startingBaseFee: '10', exclusivityOverrideBps: '0' },
  });

  it.each([
    ['before its curve', 100, 1_000n],
    ['on the way to its first point', 102, 950n],
    ['at its first point', 104, 900n],
    ['between two, its change rounded towards zero', 105, 925n],
    ['at its last point', 110, 1_050n],
    ['behind it, however far', 100 + 70_000, 1_050n],
  ])('%s', (_, height, output) => {
    expect(amounts(order, { height })).toEqual([1_000n, output]);
  });

  it('follows the base fee within its bounds', () => {
    const dearer = { baseFee: 10n + 10n * 1_000_000_000n, height: 100 };
    expect(amounts(order, dearer)).toEqual([1_070n, 970n]);
    const far = { baseFee: 10n + 1_000n * 1_000_000_000n, height: 100 };
    expect(amounts(order, far)).toEqual([1_200n, 880n]);
    const cheaper = { baseFee: 0n, height: 100 };
    expect(amounts(order, cheaper)).toEqual([1_000n, 1_000n]);
    const auction = { ...order.auction, startingBaseFee: '20000000010' };
    expect(amounts({ ...order, auction }, { baseFee: 10n, height: 100 })).toEqual([860n, 1_060n]);
  });
});

describe('a Priority order', () => {
  const order = orderOf({
    type: 'Priority',
    input: { token: SOLD, amount: '1000', mpsPerPriorityFeeWei: '0' },
    outputs: [{ token: BOUGHT, recipient: SWAPPER, amount: '1000', mpsPerPriorityFeeWei: '5000' }],
    auction: { baselinePriorityFeeWei: '2', auctionStartBlock: '1', auctionTargetBlock: '0' },
  });

  it('pays more for a higher priority fee than its baseline, rounded up', () => {
    // 15 - 10 - 2 = 3 wei, 15,000 of ten million.
    expect(amounts(order)).toEqual([1_000n, 1_002n]);
    expect(amounts(order, { gasPrice: 12n })).toEqual([1_000n, 1_000n]);
    expect(amounts(order, { gasPrice: 10n })).toEqual([1_000n, 1_000n]);
  });

  it('takes less, rounded down, and never less than nothing', () => {
    const input = { token: SOLD, amount: '1000', mpsPerPriorityFeeWei: '5000' };
    const outputs = [{ token: BOUGHT, recipient: SWAPPER, amount: '1000', mpsPerPriorityFeeWei: '0' }];
    expect(amounts({ ...order, input, outputs })).toEqual([998n, 1_000n]);
    expect(amounts({ ...order, input, outputs }, { gasPrice: 1_000_000n })).toEqual([0n, 1_000n]);
  });
});

describe('amounts paid', () => {
  const hash = (n: number): string => `0x${String(n).padStart(64, '0')}`;
  const topic = (address: string): string => `0x${'0'.repeat(24)}${address.slice(2)}`;
  const data = (amount: number): string => `0x${amount.toString(16).padStart(64, '0')}`;
  const transfer = (token: string, from: string, to: string, amount: number): TransactionLog => ({
    address: token,
    topics: [TOPICS.transfer, topic(from), topic(to)],
    data: data(amount),
  });
  const fill = (n: number, by = REACTOR): TransactionLog => ({
    address: by,
    topics: [ORDER_TOPICS.fill, hash(n), topic(FILLER), topic(SWAPPER)],
    data: data(1),
  });
  const resolved = {
    input: { token: SOLD, amount: 1_000n },
    outputs: [
      { token: BOUGHT, recipient: SWAPPER, amount: 900n },
      { token: BOUGHT, recipient: FEES, amount: 9n },
    ],
  };
  const place = { orderHash: hash(1), reactor: REACTOR, swapper: SWAPPER };
  const input = transfer(SOLD, SWAPPER, FILLER, 1_000);
  const outputs = [transfer(BOUGHT, FILLER, SWAPPER, 900), transfer(BOUGHT, FILLER, FEES, 9)];
  const told = {
    amounts: {
      input: { token: SOLD, amount: '1000' },
      outputs: [
        { token: BOUGHT, recipient: SWAPPER, amount: '900' },
        { token: BOUGHT, recipient: FEES, amount: '9' },
      ],
    },
  };
  const nothing = { amounts: null, amountsReason: expect.any(String) as unknown };

  it.each<[string, readonly TransactionLog[], object]>([
    ['are told where transfers and rule agree', [input, ...outputs, fill(1)], told],
    [
      'are those of the own order of a batch',
      [transfer(SOLD, addressOf('99'), FILLER, 5), input, outputs[0]!, fill(2), ...outputs, fill(1)],
      told,
    ],
    ['are not the outputs of the order before', [input, ...outputs, fill(2), fill(1)], nothing],
    ['are not paid behind the fill', [input, fill(1), ...outputs], nothing],
    ['are not told by another contract’s fill', [input, ...outputs, fill(1, addressOf('98'))], nothing],
    ['are not told without what the swapper gave', [...outputs, fill(1)], nothing],
    [
      'are not told where the token keeps a part',
      [input, transfer(BOUGHT, FILLER, SWAPPER, 890), outputs[1]!, fill(1)],
      nothing,
    ],
    ['are not told where one transfer would have to be two outputs', [input, outputs[0]!, fill(1)], nothing],
    [
      'are not told by an event of another token',
      [input, transfer(addressOf('97'), FILLER, SWAPPER, 900), outputs[1]!, fill(1)],
      nothing,
    ],
  ])('%s', (_, logs, answer) => {
    expect(paidAmounts(resolved, logs, place)).toEqual(answer);
  });

  it('are not told in the coin of the chain, which leaves no transfer', () => {
    const coin = { ...resolved, outputs: [{ token: NO_ONE, recipient: SWAPPER, amount: 1n }] };
    expect(paidAmounts(coin, [input, fill(1)], place)).toEqual(nothing);
  });
});
