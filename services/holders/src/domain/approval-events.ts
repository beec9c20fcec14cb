/** The events by which owners of tokens name their spenders. */
import { permit2Pair, PERMIT2_TOPICS } from '@hindsight/chain/tokens/permit2.ts';
import { TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import { accountIn, type EventData } from './holder-events.ts';

/** For one token, for an operator of all of an owner's tokens, or kept by Permit2; engines store the place in this list. */
export const APPROVAL_KINDS = ['token', 'operator', 'permit2'] as const;

/** First topics; the owner is the second. */
export const APPROVAL_EVENTS: readonly string[] = [TOPICS.approval, TOPICS.approvalForAll, ...PERMIT2_TOPICS];

/** The contracts and accounts of an approval, lower-cased. */
export interface ApprovalPair {
  readonly token: string;
  readonly owner: string;
  readonly spender: string;
  readonly kind: (typeof APPROVAL_KINDS)[number];
}

/**
 * The approval that an event names; undefined where it is none, or does not index its owner.
 * @param log its address lower-cased
 */
export function approvalIn({
  address,
  topics,
  data,
}: EventData & { readonly address: string }): ApprovalPair | undefined {
  const [event = '', first, second] = topics;
  const owner = accountIn(first);
  if (owner === undefined || !APPROVAL_EVENTS.includes(event)) return undefined;
  if (PERMIT2_TOPICS.includes(event)) {
    const pair = permit2Pair({ address, topics, data });
    if (pair === undefined) return undefined;
    return { token: pair.token.toLowerCase(), owner, spender: pair.spender.toLowerCase(), kind: 'permit2' };
  }
  const spender = accountIn(second);
  if (spender === undefined) return undefined;
  return { token: address, owner, spender, kind: event === TOPICS.approvalForAll ? 'operator' : 'token' };
}
