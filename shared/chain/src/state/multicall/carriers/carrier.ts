/**
 * Carries a program to a node, and its answer back.
 *
 * An eth_call has three ways to bring back bytes that no contract of the chain has computed: as the data of a
 * REVERT, as the return value of a contract that a state override places, and as the code that init code
 * returns. Forks price the last one as code that is stored; not every node passes on the data of a revert, or
 * takes an override.
 */
import type { ForkRules } from '../../../networks.ts';
import { numberToQuantity } from '../../../rpc/hex.ts';
import type { RpcOutcome } from '../../../rpc/node.ts';
import { isOurs, type Program, type ProgramRoom, type ProgramRun } from '../../../rpc/program.ts';

/** The names of the carriers, as operators see them. */
export type CarrierName = 'revert' | 'override' | 'return';

/** One way. */
export interface Carrier {
  readonly name: CarrierName;
  /** The parameters of the `eth_call` that runs a program at a block. */
  params(run: ProgramRun, block: unknown, rules: ForkRules): readonly unknown[];
  /** The program's answer within a node's; undefined if it is missing or incomplete. */
  answerIn(outcome: RpcOutcome): string | undefined;
  /** Room by the rules, as far as it can be used. */
  room(rules: ForkRules): Omit<ProgramRoom, 'gas'>;
}

/**
 * Answers are no larger than this, so that each carrier but the last has room for the same number of
 * balances: 2,300, about the most that 49,152 bytes of init code can request.
 */
const MAX_ANSWERED = 94_400;
/** A larger request would hold up too much other work. */
const MAX_TAKEN = 131_072;
/**
 * The address that init code without a sender runs at: the first contract of the zero address. A contract
 * that a state override places is placed there, so that tokens see the same caller with every carrier.
 */
const ADDRESS = '0xbd770416a3345f91e4b34576cb804a576fa48eb1';
const NO_PRICE = '0000';

/** Init code that reverts with the answer as its data, which no fork prices. */
export const REVERT: Carrier = {
  name: 'revert',
  params: ({ program, input }, block) => [{ data: (program.revert ?? '') + NO_PRICE + input }, block],
  answerIn(outcome) {
    const answer = 'error' in outcome ? outcome.error.details.data : undefined;
    return isOurs(answer) ? answer : undefined;
  },
  room: ({ maxInitCode }) => ({ taken: Math.min(MAX_TAKEN, maxInitCode), answered: MAX_ANSWERED }),
};

/** A contract that the call's third parameter places: no limit of code or init code holds for it. */
export const OVERRIDE: Carrier = {
  name: 'override',
  params: ({ program, input }, block) => [
    { to: ADDRESS },
    block,
    { [ADDRESS]: { code: program.return + NO_PRICE + input } },
  ],
  answerIn: resultIn,
  room: () => ({ taken: MAX_TAKEN, answered: MAX_ANSWERED }),
};

/** Init code that returns the answer, as if it were the code of a new contract: bounded and priced as that. */
export const RETURN: Carrier = {
  name: 'return',
  params: ({ program, input }, block, { depositGas }) => [
    { data: program.return + numberToQuantity(depositGas).slice(2).padStart(4, '0') + input },
    block,
  ],
  answerIn: resultIn,
  room: ({ maxInitCode, maxCode }) => ({
    taken: Math.min(MAX_TAKEN, maxInitCode),
    answered: Math.min(MAX_ANSWERED, maxCode),
  }),
};

export function bytesTaken({ program, input }: ProgramRun): number {
  return (program.return.length - 2 + NO_PRICE.length + input.length) / 2;
}

export function canEnd(carrier: Carrier, program: Program): boolean {
  return carrier !== REVERT || program.revert !== undefined;
}

function resultIn(outcome: RpcOutcome): string | undefined {
  return 'result' in outcome && isOurs(outcome.result) ? outcome.result : undefined;
}
