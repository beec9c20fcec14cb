/** Amounts that a reactor asks for in a block, by the type of the order (https://github.com/Uniswap/UniswapX, src/reactors). */
import type { DecodedOrder, OrderAmount } from './order.ts';

/** The transaction that fills, as far as the reactor sees it. */
export interface FillTerms {
  /** The reactor's caller: EIP-55. */
  readonly filler: string;
  /** Height of the block: on Arbitrum that of the second layer, which the reactor gets from ArbSys. */
  readonly height: number;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly baseFee: bigint;
  /** Wei that the transaction pays for gas. */
  readonly gasPrice: bigint;
}

export interface Resolved {
  readonly token: string;
  /** Of outputs. */
  readonly recipient?: string;
  readonly amount: bigint;
}

export interface ResolvedAmounts {
  readonly input: Resolved;
  readonly outputs: readonly Resolved[];
}

const BPS = 10_000n;
/** Thousandths of a basis point in one. */
const MPS = 10_000_000n;
const GWEI = 1_000_000_000n;
const MAX_UINT = (1n << 256n) - 1n;
/** The last block of any curve: it has 16 bits for one. */
const MOST_BLOCKS = 0xffffn;

/** The amounts of an order in a fill, without fees that the protocol adds as outputs of its own. */
export function resolveAmounts(order: DecodedOrder, fill: FillTerms): ResolvedAmounts {
  if (order.type === 'Priority') return priorityAmounts(order, fill);
  const isV3 = order.type === 'Dutch_V3';
  const { input, outputs } = isV3 ? v3Amounts(order, fill) : dutchAmounts(order, fill);
  const begins = number(order, isV3 ? 'decayStartBlock' : 'decayStartTime');
  const now = BigInt(isV3 ? fill.height : fill.timestamp);
  const isFree = order.filler === null || now > begins || isSame(order.filler, fill.filler);
  if (isFree) return { input, outputs };
  const more = BPS + number(order, 'exclusivityOverrideBps');
  // The first version rounds down.
  const isDown = order.type === 'Dutch' || order.type === 'Limit';
  const raised = (amount: bigint): bigint => (isDown ? (amount * more) / BPS : divideUp(amount * more, BPS));
  return { input, outputs: outputs.map((one) => ({ ...one, amount: raised(one.amount) })) };
}

/** Dutch, Limit and Dutch_V2: linear by time. */
function dutchAmounts(order: DecodedOrder, { timestamp }: FillTerms): ResolvedAmounts {
  const [start, end] = [number(order, 'decayStartTime'), number(order, 'decayEndTime')];
  return eachStart(order, (amount, begins) =>
    decay(
      { at: start, amount: begins },
      { at: end, amount: BigInt(amount.endAmount ?? begins) },
      BigInt(timestamp),
    ),
  );
}

/** Dutch_V3: by blocks along a curve, and by the base fee. */
function v3Amounts(order: DecodedOrder, { height, baseFee }: FillTerms): ResolvedAmounts {
  const fees = baseFee - number(order, 'startingBaseFee');
  const elapsed = BigInt(height) - number(order, 'decayStartBlock');
  return eachStart(order, (amount, begins, isInput) => {
    const [least, most] = isInput
      ? [0n, BigInt(amount.maxAmount ?? 0)]
      : [BigInt(amount.minAmount ?? 0), MAX_UINT];
    const adjusted = (BigInt(amount.adjustmentPerGweiBaseFee ?? 0) * fees) / GWEI;
    const start = bound(isInput ? begins + adjusted : begins - adjusted, least, most);
    return bound(start - curveAt(amount.curve, elapsed), least, most);
  });
}

/** The change by a curve, which is subtracted; none before it begins. */
function curveAt(curve: OrderAmount['curve'], elapsed: bigint): bigint {
  const points = (curve?.relativeBlocks ?? []).map((block, i) => ({
    at: BigInt(block),
    amount: BigInt(curve?.relativeAmounts[i] ?? 0),
  }));
  const last = points.at(-1);
  if (elapsed <= 0n || last === undefined) return 0n;
  const now = elapsed > MOST_BLOCKS ? MOST_BLOCKS : elapsed;
  const next = points.findIndex(({ at }) => at >= now);
  if (next < 0) return last.amount;
  return decay(points[next - 1] ?? { at: 0n, amount: 0n }, points[next]!, now);
}

/** Priority: by what the transaction pays above the base fee and the order's baseline. */
function priorityAmounts(order: DecodedOrder, { baseFee, gasPrice }: FillTerms): ResolvedAmounts {
  const above = gasPrice - baseFee - number(order, 'baselinePriorityFeeWei');
  const fee = above > 0n ? above : 0n;
  const { input } = order;
  const less = MPS - fee * BigInt(input.mpsPerPriorityFeeWei ?? 0);
  const amount = less > 0n ? (BigInt(input.amount ?? 0) * less) / MPS : 0n;
  const outputs = order.outputs.map((output) => {
    const more = MPS + fee * BigInt(output.mpsPerPriorityFeeWei ?? 0);
    return { ...place(output), amount: divideUp(BigInt(output.amount ?? 0) * more, MPS) };
  });
  return { input: { ...place(input), amount }, outputs };
}

/** Resolves input and outputs from the amounts with which they start: the cosigner's, where it gave any. */
function eachStart(
  { input, outputs, auction }: DecodedOrder,
  resolve: (amount: OrderAmount, begins: bigint, isInput: boolean) => bigint,
): ResolvedAmounts {
  const given = (auction.outputOverrides ?? []) as readonly string[];
  const startOf = (amount: OrderAmount, override: unknown): bigint =>
    BigInt((override as string | undefined) ?? 0) || BigInt(amount.startAmount ?? 0);
  return {
    input: { ...place(input), amount: resolve(input, startOf(input, auction.inputOverride), true) },
    outputs: outputs.map((output, i) => ({
      ...place(output),
      amount: resolve(output, startOf(output, given[i]), false),
    })),
  };
}

interface Point {
  readonly at: bigint;
  readonly amount: bigint;
}

/** Linear between two points, the change rounded towards zero. */
function decay(start: Point, end: Point, now: bigint): bigint {
  if (now >= end.at) return end.amount;
  if (now <= start.at) return start.amount;
  return start.amount + ((end.amount - start.amount) * (now - start.at)) / (end.at - start.at);
}

function bound(value: bigint, least: bigint, most: bigint): bigint {
  if (value < least) return least;
  return value > most ? most : value;
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

function number({ auction }: DecodedOrder, name: string): bigint {
  return BigInt((auction[name] as string | undefined) ?? 0);
}

function place({ token, recipient }: OrderAmount): Omit<Resolved, 'amount'> {
  return { token, ...(recipient === undefined ? {} : { recipient }) };
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
