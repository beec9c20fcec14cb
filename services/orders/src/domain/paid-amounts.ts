/** Amounts that a fill has paid: told only where the order's rule and the transfers in its transaction agree. */
import { TOPICS, topicAddress } from '@hindsight/chain/tokens/token-events.ts';
import { ORDER_TOPICS } from './order-logs.ts';
import type { PaidAmounts } from './order-state.ts';
import type { Resolved, ResolvedAmounts } from './resolved-amounts.ts';

/** A log of the transaction. Hexadecimal is lower case. */
export interface TransactionLog {
  readonly address: string;
  readonly topics: readonly string[];
  /** 0x and hexadecimal digits. */
  readonly data: string;
}

/** The fill whose amounts are asked for. */
export interface FillPlace {
  readonly orderHash: string;
  /** Lower case. */
  readonly reactor: string;
  readonly swapper: string;
}

/** The amounts, or the reason why they are not told. */
export type Paid =
  | { readonly amounts: PaidAmounts }
  | { readonly amounts: null; readonly amountsReason: string };

const COIN = `0x${'0'.repeat(40)}`;

interface Transfer {
  readonly token: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly amount: bigint;
  /** Between this fill and the one before it. */
  readonly isOwn: boolean;
}

/**
 * Compares what the order asks for with the transfers of its fill. Reactors pay the outputs of an order right before its Fill;
 * the inputs of all orders of a batch come before the first Fill.
 * @param logs those of the transaction, in order
 */
export function paidAmounts(
  resolved: ResolvedAmounts,
  logs: readonly TransactionLog[],
  fill: FillPlace,
): Paid {
  const at = logs.findIndex(({ address, topics }) => {
    const [event, orderHash] = topics;
    return event === ORDER_TOPICS.fill && orderHash === fill.orderHash && address === fill.reactor;
  });
  if (at < 0) return none('the transaction does not have the fill');
  if (resolved.outputs.some(({ token }) => token === COIN))
    return none('an output is in the coin of the chain, which leaves no transfer');
  const before = logs.slice(0, at);
  const previous = before.findLastIndex(({ topics }) => topics[0] === ORDER_TOPICS.fill);
  const transfers = before.flatMap((log, i) => transferIn(log, i > previous));
  const takes = (wanted: (transfer: Transfer) => boolean): boolean => {
    const found = transfers.findIndex(wanted);
    if (found >= 0) transfers.splice(found, 1);
    return found >= 0;
  };
  const { input, outputs } = resolved;
  const isPaid = outputs.every(
    (output) =>
      output.amount === 0n ||
      takes((one) => one.isOwn && moves(one, output) && isSame(one.to, output.recipient ?? '')),
  );
  if (!isPaid) return none('the transfers are not those that the order asks for');
  const isTaken = input.amount === 0n || takes((one) => moves(one, input) && isSame(one.from, fill.swapper));
  if (!isTaken) return none('what the swapper gave is not what the order asks for');
  return { amounts: { input: told(input), outputs: outputs.map(told) } };
}

function none(amountsReason: string): Paid {
  return { amounts: null, amountsReason };
}

function transferIn({ address, topics, data }: TransactionLog, isOwn: boolean): Transfer[] {
  const [event, from, to] = topics;
  if (event !== TOPICS.transfer || topics.length !== 3 || data.length !== 66) return [];
  return [{ token: address, from: topicAddress(from), to: topicAddress(to), amount: BigInt(data), isOwn }];
}

function moves({ token, amount }: Transfer, wanted: Resolved): boolean {
  return amount === wanted.amount && isSame(token, wanted.token);
}

function isSame(one: string | null, other: string): boolean {
  return one !== null && one.toLowerCase() === other.toLowerCase();
}

function told({ amount, ...rest }: Resolved) {
  return { ...rest, amount: String(amount) };
}
