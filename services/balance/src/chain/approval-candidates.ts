/** The approvals that events name: a token's allowance, an operator, or an allowance of Permit2's own. */
import type { Log } from '@hindsight/chain/logs/log.ts';
import type { CallItem } from '@hindsight/chain/state/multicall/multicall.ts';
import { permit2Pair, PERMIT2_TOPICS } from '@hindsight/chain/tokens/permit2.ts';
import { operatorCall, permit2AllowanceCall } from '@hindsight/chain/tokens/token-calls.ts';
import { TOPICS, topicAddress } from '@hindsight/chain/tokens/token-events.ts';
import { allowanceCall } from '@hindsight/chain/tokens/token-facts.ts';
import type { TokenType } from '@hindsight/chain/tokens/token.ts';
import type { SpenderOf } from '../domain/wallet.ts';
import type { Keyed } from './first-in-order.ts';

const isErc20 = (type: TokenType): boolean => type === 'erc20';
const hasOperators = (type: TokenType): boolean => !isErc20(type);

/** The call that reads an approval of each kind, and the standards of tokens that have it. */
const KINDS = {
  token: { callOf: allowanceCall, fits: isErc20 },
  operator: { callOf: operatorCall, fits: hasOperators },
  permit2: { callOf: permit2AllowanceCall, fits: isErc20 },
} as const;

export interface ApprovalCandidate extends SpenderOf {
  readonly kind: keyof typeof KINDS;
  readonly call: CallItem;
  readonly fits: (type: TokenType) => boolean;
}

/** First topics of the events that name approvals; the owner is the second. */
export const APPROVAL_EVENTS: readonly string[] = [TOPICS.approval, TOPICS.approvalForAll, ...PERMIT2_TOPICS];

/** The approval that a log of `APPROVAL_EVENTS` names. @param contract the log's, EIP-55 */
export function* approvalIn(log: Log, contract: string, owner: string): Generator<Keyed<ApprovalCandidate>> {
  const [event = '', , third] = log.topics;
  const isPermit2 = PERMIT2_TOPICS.includes(event);
  const pair = isPermit2 ? permit2Pair(log) : { token: contract, spender: topicAddress(third) };
  if (!pair?.spender) return;
  const { token, spender } = pair;
  const kind = isPermit2 ? 'permit2' : event === TOPICS.approvalForAll ? 'operator' : 'token';
  yield approvalOf({ token, spender, owner, kind });
}

/** An approval with what distinguishes it from all others of its owner. All accounts are EIP-55. */
export function approvalOf({
  token,
  spender,
  owner,
  kind,
}: Pick<ApprovalCandidate, 'token' | 'spender' | 'kind'> & {
  readonly owner: string;
}): Keyed<ApprovalCandidate> {
  const { callOf, fits } = KINDS[kind];
  const make = (): ApprovalCandidate => ({
    ...{ token, spender, kind, fits },
    call: callOf(token, owner, spender),
  });
  return [`${token} ${spender} ${kind}`, make];
}
