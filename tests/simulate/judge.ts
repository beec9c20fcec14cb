/** Judges answers about the chain: of the block that they name, and that one meant. */
import type { Chain, ChainBlock } from './chain/blocks.ts';
import type { Answer } from './http.ts';
import type { Machine } from './machine/machine.ts';
import type { TokenList } from './token-list.ts';

/** A question, and the most that it may cost. */
export interface Question {
  readonly path: string;
  readonly units: number;
  /** Tells what is false about an answer: undefined where nothing is. An error of the server claims nothing. */
  readonly falsehoodIn?: (answer: Answer) => string | undefined;
}

/** The chain, and what is known of it. */
export interface QuestionDeps {
  readonly machine: Machine;
  readonly chain: Chain;
  readonly list: TokenList;
  /** The moment until which a fault or what it left behind may last. */
  readonly busyUntil: () => number;
}

/** The block that is asked about. */
export type When =
  | { readonly kind: 'latest' }
  | { readonly kind: 'height'; readonly height: number }
  | { readonly kind: 'hash'; readonly hash: string }
  /** Unix seconds, long ago. */
  | { readonly kind: 'date'; readonly seconds: number };

/** An answer's. */
export type Fields = Readonly<Record<string, unknown>>;

export const NETWORK = '/v1/eth-mainnet';

/** A block that no node has had as its head, or called canonical, for this long is no answer: without and with faults. */
const AGE_MS = 15_000;
const AGE_UNDER_FAULTS_MS = 400_000;

/** True of a status that says nothing about the chain. */
export function claimsNothing(status: number): boolean {
  return status >= 500 || status === 429;
}

/** A question for the state of one block. */
export interface AskedOne extends QuestionDeps {
  readonly when: When;
  readonly askedAt: number;
}

export interface Judged extends AskedOne {
  readonly read: (block: ChainBlock, body: Fields) => string | undefined;
}

/** Tells what is false about an answer of one block. */
export function judge(judged: Judged, status: number, text: string): string | undefined {
  if (claimsNothing(status)) return undefined;
  const { when, chain } = judged;
  if (status === 404 && when.kind === 'hash') {
    const block = chain.find(when.hash)!;
    return chain.isFinal(block) ? `404 for the final block ${block.number}` : undefined;
  }
  if (status === 404 && when.kind === 'height') return falsehoodInAbsence(when.height, text);
  if (status !== 200) return `${status}: ${text}`;
  const body = JSON.parse(text) as Fields;
  const block = chain.find(String(body.block_hash));
  if (block === undefined) return `it names the block ${String(body.block_hash)}, which was never one`;
  return (
    differs('height', body.checked_at_block ?? body.block_number, block.number) ??
    falsehoodInBlock(judged, block, {
      date: body.checked_at_date ?? body.date,
      isFinal: body.finalized === true,
    }) ??
    judged.read(block, body)
  );
}

/** Tells what is false about an answer that there is no block of a height yet. */
export function falsehoodInAbsence(height: number, text: string): string | undefined {
  const head = Number(/the latest block is (\d+)/.exec(text)?.[1]);
  return height > head ? undefined : `404 for block ${height}: ${text}`;
}

/** Tells what is false about the block that an answer names. */
export function falsehoodInBlock(
  asked: AskedOne,
  block: ChainBlock,
  { date, isFinal }: { readonly date: unknown; readonly isFinal: boolean },
): string | undefined {
  return (
    differs('date', date, new Date(block.timestamp * 1000).toISOString()) ??
    (isFinal && !asked.chain.isFinal(block) ? `block ${block.number} is not final` : undefined) ??
    notMeant(asked, block)
  );
}

/** Tells why a block is not the one that was asked for. */
function notMeant(
  { when, askedAt, machine, chain, busyUntil }: AskedOne,
  block: ChainBlock,
): string | undefined {
  const age = busyUntil() < askedAt ? AGE_MS : AGE_UNDER_FAULTS_MS;
  const isOld = (holders: number, until: number): boolean => holders === 0 && until < askedAt - age;
  const of = `block ${block.number}, at ${machine.now.toFixed(0)} ms,`;
  if (isOld(block.canonicalNodes, block.canonicalUntil)) return `${of} had long been reorganised away`;
  switch (when.kind) {
    case 'latest':
      return isOld(block.headNodes, block.headUntil) ? `${of} had long not been the head` : undefined;
    case 'height':
      return differs('height', block.number, when.height);
    case 'hash':
      return differs('hash', block.hash, when.hash);
    case 'date':
      return differs('height', block.number, chain.atTime(when.seconds)?.number);
  }
}

export function differs(what: string, found: unknown, truth: unknown): string | undefined {
  return found === truth ? undefined : `${what} ${String(found)}, not ${String(truth)}`;
}
