/** The truth, read from a node by a separate client: storage slots, code and wei; no contract is run. */
import { askAll, blockTag, type Answer, type Question } from '@hindsight/devchain/client.ts';
import { TOKENS } from '@hindsight/devchain/world.ts';
import { getAddress, toBeHex } from 'ethers';
import type { Inquiry } from './inquiries.ts';
import { amountIn, wordOfImplementation, wordOfName, wordsOf, type Word } from './subject.ts';

/** The contents of the node's storage. */
export type Truth =
  | { readonly kind: 'amount'; readonly amount: bigint }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'no-state' };

/**
 * Reads the truth for all inquiries.
 * @throws {Error} if node and ledger disagree: then the chain is not the plan's, and no truth can be read
 */
export async function readTruth(url: string, inquiries: readonly Inquiry[]): Promise<readonly Truth[]> {
  const asked = inquiries.map(questionsFor);
  const answers = await askAll(url, asked.flat());
  let at = 0;
  return inquiries.map((inquiry, i) => {
    const own = answers.slice(at, (at += asked[i]!.length));
    return own.some(({ error }) => error !== undefined) ? noState(own) : truthIn(inquiry, own);
  });
}

function questionsFor(inquiry: Inquiry): Question[] {
  const tag = blockTag(inquiry.height);
  const questions = wordsFor(inquiry).map(([method, ...params]): Question => [method, ...params, tag]);
  return inquiry.absent === 'contract' ? [['eth_getCode', tokenAddress(inquiry), tag]] : questions;
}

function wordsFor(inquiry: Inquiry): readonly Word[] {
  const { subject, name, absent } = inquiry;
  const naming = name === undefined ? [] : [wordOfName(name)];
  if (absent === 'name') return naming;
  if (absent === 'token') return [wordOfImplementation(tokenAddress(inquiry))];
  return [...naming, ...wordsOf(subject)];
}

function tokenAddress({ subject }: Inquiry): string {
  if (subject.kind === 'native') throw new Error('ether has no contract');
  return TOKENS[subject.token].address;
}

/** A node without state refuses every word of it, and not as a node that is down. */
function noState(answers: readonly Answer[]): Truth {
  for (const { error } of answers) {
    if (error === undefined || !/historical state|missing trie node|^not supported$/.test(error.message)) {
      throw new Error(`the node answers in part: ${JSON.stringify(answers)}`);
    }
  }
  return { kind: 'no-state' };
}

function truthIn(inquiry: Inquiry, answers: readonly Answer[]): Truth {
  const { subject, name, absent, booked } = inquiry;
  if (absent === 'contract') {
    if (answers[0]?.result !== '0x') throw new Error(`there is code already: ${describe(inquiry)}`);
    return { kind: 'nothing' };
  }
  const words = answers.map(({ result }) => BigInt(result as string));
  if (absent === 'token' || absent === 'name') {
    if (words[0] !== 0n) throw new Error(`there is something already: ${describe(inquiry)}`);
    return { kind: 'nothing' };
  }
  if (name !== undefined && getAddress(toBeHex(words.shift() ?? 0n, 20)) !== subject.holder) {
    throw new Error(`the name points elsewhere: ${describe(inquiry)}`);
  }
  const amount = amountIn(subject, words);
  if (booked !== undefined && booked.amount !== amount) {
    throw new Error(`${amount} on the chain: ${describe(inquiry)}`);
  }
  return absent === 'allowance' ? { kind: 'nothing' } : { kind: 'amount', amount };
}

function describe(inquiry: Inquiry): string {
  return JSON.stringify(inquiry, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
}
