/** Asks the service, and says of each answer whether it is true. */
import { isDeepStrictEqual } from 'node:util';
import { LANDMARKS, TOKENS } from '@hindsight/devchain/world.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import type { Absence } from './claims.ts';
import type { Chain, Inquiry } from './inquiries.ts';
import { askBatches, askSnapshots, type Answer } from './many.ts';
import type { Truth } from './raw-truth.ts';
import { untilAnswered } from './patience.ts';
import { askOnce } from './views.ts';

/** `needless`: an error, though the node has the answer. */
export type Verdict = 'right' | 'refused' | 'needless' | 'wrong';

/** An inquiry with what came of it. */
export interface Judged {
  readonly inquiry: Inquiry;
  readonly path: string;
  readonly verdict: Verdict;
  readonly answer: Answer;
}

const WORKERS = 16;
const ENDPOINTS = { balance: 'balance/single', native: 'balance/native', allowance: 'allowance/single' };
const ABSENT: Readonly<Record<Absence, RegExp>> = {
  contract: /^There is no contract at /,
  token: /^The contract at .* is not a token/,
  name: /^(holder|owner): the name .* has no address at block /,
  allowance: /^Historical allowance does not exist for this owner and spender/,
};
const NO_STATE = 'The Ethereum node has no state for this block: an archive node is needed.';

/**
 * Asks all inquiries, several at a time; balances in batches and snapshots as well. @param answered the answer to a question,
 * however often it is asked
 */
export async function judgeAll(
  service: string,
  network: Network,
  chain: Chain,
  inquiries: readonly Inquiry[],
  truths: readonly Truth[],
  answered: typeof untilAnswered = untilAnswered,
): Promise<readonly Judged[]> {
  const judged: Judged[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < inquiries.length; i = next++) {
      const inquiry = inquiries[i]!;
      const path = pathOf(network, inquiry);
      const answer = await answered(() => askOnce(service + path));
      judged[i] = { inquiry, path, answer, verdict: judge(network, chain, inquiry, truths[i]!, answer) };
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  for (const askMany of [askBatches, askSnapshots]) {
    for (const [i, path, answer] of await askMany(service, network, inquiries, answered)) {
      const inquiry = inquiries[i]!;
      judged.push({ inquiry, path, answer, verdict: judge(network, chain, inquiry, truths[i]!, answer) });
    }
  }
  return judged;
}

function pathOf(network: Network, { subject, name, when }: Inquiry): string {
  const token = subject.kind === 'native' ? {} : { token_address: TOKENS[subject.token].address };
  const holder = name ?? subject.holder;
  const who = subject.kind === 'allowance' ? { owner: holder, spender: subject.spender } : { holder };
  const query = new URLSearchParams({ ...token, ...who, ...when });
  return `/v1/${network.name}/${ENDPOINTS[subject.kind]}?${query.toString()}`;
}

function judge(network: Network, chain: Chain, inquiry: Inquiry, truth: Truth, answer: Answer): Verdict {
  const { status, body } = answer;
  if (truth.kind === 'no-state') {
    return status === 502 && body.message === NO_STATE ? 'refused' : 'wrong';
  }
  if (status >= 500) return 'needless';
  if (truth.kind === 'amount') {
    const record = recordOf(network, chain, inquiry, truth.amount);
    return status === 200 && isDeepStrictEqual(body, record) ? 'right' : 'wrong';
  }
  if (inquiry.absent === undefined) throw new Error('nothing is there, and the plan does not say why');
  return status === 404 && ABSENT[inquiry.absent].test(String(body.message)) ? 'right' : 'wrong';
}

/** The record as it must be, field by field. */
function recordOf(
  { name, chainId }: Network,
  chain: Chain,
  { subject, height, booked }: Inquiry,
  amount: bigint,
): Record<string, unknown> {
  const header = chain.headers.get(height);
  if (header === undefined) throw new RangeError(`there is no block ${height}`);
  const { holder } = subject;
  const who = subject.kind === 'allowance' ? { owner: holder, spender: subject.spender } : { holder };
  return {
    network_name: name,
    chain_id: chainId,
    ...who,
    ...(subject.kind === 'native' ? {} : tokenFields(subject.token, booked?.block)),
    checked_at_block: height,
    checked_at_date: new Date(header.timestamp * 1_000).toISOString(),
    block_hash: header.hash,
    finalized: height <= chain.finalized,
    [subject.kind === 'allowance' ? 'allowance' : 'balance']: amount.toString(),
  };
}

function tokenFields(token: keyof typeof TOKENS, block: number | undefined): Record<string, unknown> {
  const { address, name, symbol, standard, decimals } = TOKENS[token];
  const isBeforeUpgrade = token === 'usdc' && (block ?? 0) < LANDMARKS.usdcUpgrade;
  return {
    token_address: address,
    token_name: isBeforeUpgrade ? 'Centre USD Coin' : name,
    token_symbol: symbol,
    token_type: standard,
    token_decimals: decimals,
  };
}
