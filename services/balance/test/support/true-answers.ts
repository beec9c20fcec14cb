/** For tests: questions about the dev chain, and whether an answer is true by the plan's ledger. */
import type { Ledger } from '@hindsight/devchain/ledger.ts';
import { TOKENS, type TokenName } from '@hindsight/devchain/world.ts';
import type { Headers } from '@hindsight/chain/test/support/all-headers.ts';

/** The block of a question; a date in Unix seconds. */
export type AskedWhen = 'latest' | { readonly height: number } | { readonly date: number };

/** A question; the holder or owner may be an ENS name. */
export type Asked = { readonly who: string; readonly when: AskedWhen } & (
  | { readonly kind: 'balance'; readonly token: TokenName }
  | { readonly kind: 'native' }
  | { readonly kind: 'allowance'; readonly token: TokenName; readonly spender: string }
);

/** An answer as it came over HTTP. */
export interface Answered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const ENDPOINTS = { balance: 'balance/single', native: 'balance/native', allowance: 'allowance/single' };

/** The path of a question. */
export function pathOf(asked: Asked): string {
  const { kind, who, when } = asked;
  const token = kind === 'native' ? {} : { token_address: TOKENS[asked.token].address };
  const account = kind === 'allowance' ? { owner: who, spender: asked.spender } : { holder: who };
  const query = new URLSearchParams({ ...token, ...account, ...whenOf(when) });
  return `/v1/eth-mainnet/${ENDPOINTS[kind]}?${query.toString()}`;
}

function whenOf(when: AskedWhen): Record<string, string> {
  if (when === 'latest') return {};
  if ('height' in when) return { block_height: String(when.height) };
  return { date: new Date(when.date * 1000).toISOString() };
}

/**
 * The falsehood in an answer; undefined if there is none. A 200 or 404 must be true of the block that it
 * names, and name the intended block; "does not exist yet" names the head; a 5xx claims nothing.
 * @param oldestHead the lowest head that a node may honestly take for the newest block
 */
export function falsehoodIn(
  asked: Asked,
  { status, body }: Answered,
  { ledger, headers, oldestHead }: { ledger: Ledger; headers: Headers; oldestHead: number },
): string | undefined {
  if (status >= 500) return undefined;
  const denied = /block (\d+) does not exist yet; the latest block is (\d+)$/.exec(String(body.message));
  if (denied) {
    const [, height, head] = denied.map(Number) as [number, number, number];
    return height > head && head >= oldestHead ? undefined : String(body.message);
  }
  const block = status === 200 ? Number(body.checked_at_block) : blockInMessage(body);
  const header = headers.get(block);
  if (header === undefined) return `it is about block ${block}: ${JSON.stringify(body)}`;
  if (!isMeant(asked.when, block, headers, oldestHead)) return `block ${block} was not meant`;
  const amount = amountAt(ledger, asked, block);
  if (status === 404) return amount === undefined ? undefined : `there is an amount: ${amount}`;
  if (status !== 200) return `status ${status}`;
  const answered = body[asked.kind === 'allowance' ? 'allowance' : 'balance'];
  const date = new Date(header.timestamp * 1000).toISOString();
  // As on mainnet the dev chain's node calls a block final once 64 have come after it.
  if (body.finalized === true && block > Math.max(...headers.keys()) - 64) return 'it is not final';
  if (body.block_hash !== header.hash || body.checked_at_date !== date) return 'it is about another chain';
  return answered === amount?.toString() ? undefined : `${String(answered)} in place of ${amount}`;
}

function blockInMessage({ message }: Readonly<Record<string, unknown>>): number {
  return Number(/\bblock (\d+)\b/.exec(String(message))?.[1]);
}

function isMeant(when: AskedWhen, block: number, headers: Headers, oldestHead: number): boolean {
  if (when === 'latest') return block >= oldestHead;
  if ('height' in when) return block === when.height;
  const own = headers.get(block)?.timestamp ?? Infinity;
  const next = headers.get(block + 1)?.timestamp ?? Infinity;
  return own <= when.date && (when.date < next || block >= oldestHead);
}

/** The true amount; undefined where the answer must be a 404. */
function amountAt(ledger: Ledger, asked: Asked, block: number): bigint | undefined {
  const { kind, who } = asked;
  const address = who.startsWith('0x') ? who : ledger.nameAt(who, block);
  if (address === null) return undefined;
  if (kind === 'native') return ledger.nativeAt(address, block);
  const { address: token, since } = TOKENS[asked.token];
  if (block < since) return undefined;
  if (kind === 'balance') return ledger.balanceAt(token, address, block);
  return ledger.allowanceAt(token, address, asked.spender, block) || undefined;
}
