/** The events by which owners of tokens name their spenders. */
import { TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import { accountIn } from './holder-events.ts';

/** First topics. */
export const APPROVAL_EVENTS: readonly string[] = [TOPICS.approval, TOPICS.approvalForAll];

/** The accounts of an approval, lower-cased. */
export interface ApprovalPair {
  readonly owner: string;
  readonly spender: string;
  /** An operator of all tokens of the owner. */
  readonly isOperator: boolean;
}

/** The pair that an event names; undefined where it is no approval, or does not index them. */
export function approvalIn(topics: readonly string[]): ApprovalPair | undefined {
  const [event = '', first, second] = topics;
  if (!APPROVAL_EVENTS.includes(event)) return undefined;
  const [owner, spender] = [accountIn(first), accountIn(second)];
  if (owner === undefined || spender === undefined) return undefined;
  return { owner, spender, isOperator: event === TOPICS.approvalForAll };
}
