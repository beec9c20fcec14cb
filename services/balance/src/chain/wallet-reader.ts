/** Reads what a wallet held and what it allowed at one block, among what logs name. */
import { toChecksum } from '@hindsight/chain/address.ts';
import type { LogSearch } from '@hindsight/chain/logs/log-search.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import type { ChainReader } from '@hindsight/chain/state/reader.ts';
import { readExpiration } from '@hindsight/chain/tokens/permit2.ts';
import { itemBalanceCall } from '@hindsight/chain/tokens/token-calls.ts';
import { addressTopic, ETHER_LOGS, TOPICS, transferredIds } from '@hindsight/chain/tokens/token-events.ts';
import type { Log } from '@hindsight/chain/logs/log.ts';
import type { CallItem } from '@hindsight/chain/state/multicall/multicall.ts';
import { balanceOfCall } from '@hindsight/chain/tokens/token-facts.ts';
import type { TokenType } from '@hindsight/chain/tokens/token.ts';
import type { PageStart } from '../domain/list-page.ts';
import type { UnreadReason } from '../domain/unread.ts';
import type { Approvals, HeldToken, Holdings, OpenAllowance, SpenderOf } from '../domain/wallet.ts';
import { APPROVAL_EVENTS, approvalIn, approvalOf } from './approval-candidates.ts';
import { findCandidates } from './candidates.ts';
import type { EventIndex, Indexed } from './event-index.ts';
import type { Keyed } from './first-in-order.ts';
import { weiIn } from './outcomes.ts';
import type { TokenRowReader } from './token-rows.ts';

interface WalletReaderDeps {
  readonly reader: ChainReader;
  readonly rows: TokenRowReader;
  readonly logs: Pick<LogSearch, 'firstBlock' | 'search'>;
  /** Saves the search of logs where it has the whole chain. */
  readonly index?: EventIndex | undefined;
  /** Milliseconds for a request in all. */
  readonly deadlineMs: number;
}

/** Part of a request's time: the rest is for reading state. */
const LOGS_SHARE = 0.5;

/** A token's balance, of one id where there is one. */
interface HoldingCandidate {
  readonly token: string;
  readonly call: CallItem;
  readonly tokenId: bigint | null;
  readonly fits: (type: TokenType) => boolean;
}

const IN_PLACE_OF_TRANSFERS = [TOPICS.deposit, TOPICS.withdrawal, TOPICS.assign, TOPICS.mint];

export class WalletReader {
  readonly #deps: WalletReaderDeps;

  constructor(deps: WalletReaderDeps) {
    this.#deps = deps;
  }

  /** Ether, and the tokens of which logs say that the holder had something to do with them. @throws {NodeError} */
  async readHoldings(
    block: Block,
    holder: string,
    page: PageStart | undefined,
    signal: AbortSignal,
  ): Promise<Holdings> {
    const { reader, rows, logs, index } = this.#deps;
    const topic = addressTopic(holder);
    const filters = [
      // The receiver of a transfer, or the sender of an ERC-1155's.
      { topics: [[TOPICS.transfer, TOPICS.single, TOPICS.batch], null, topic] },
      // A transfer's sender, and what wrapped ether, CryptoPunks and others emit in place of a transfer.
      { topics: [[TOPICS.transfer, TOPICS.approval, ...IN_PLACE_OF_TRANSFERS], topic] },
      // The receiver of an ERC-1155's transfer, or of a range of NFTs.
      { topics: [[TOPICS.single, TOPICS.batch, TOPICS.consecutive], null, null, topic] },
    ];
    const deadline = this.#searchedUntil();
    const indexed = keyed(await index?.holdings(holder, block, signal), ({ token, id }) =>
      id === null ? holdingOf(token, holder) : itemOf(token, holder, BigInt(id)),
    );
    const read = (token: string, log: Log) => holdingsIn(log, token, holder);
    const search = { filters, to: block, deadline, page, indexed, read };
    const { found, cut, next, ...searched } = await findCandidates(logs, search, signal);
    const sorted = found.toSorted(byTokenAndId);
    const [balances, ether] = await Promise.all([
      rows.read(block, sorted, signal),
      reader.read(block, [{ kind: 'wei', target: holder }], signal),
    ]);
    const held = balances.rows.map(({ row, facts, value }): HeldToken => ({
      ...facts,
      tokenId: row.tokenId,
      balance: value,
    }));
    const reasons = new Map(cut.map((token): [string, UnreadReason] => [token, 'cut']));
    // The first reason of a contract is that of what it holds.
    for (const { row, reason } of balances.unread.toReversed()) reasons.set(row.token, reason);
    return {
      wei: weiIn(ether.results[0]),
      held,
      asked: [...new Set(sorted.map(({ token }) => token))],
      askedIds: sorted.filter(({ tokenId }) => tokenId !== null).length,
      unread: new Map([...reasons].sort()),
      searched,
      next,
    };
  }

  /** Allowances of an owner's spenders, and its operators, among those that logs name. @throws {NodeError} */
  async readApprovals(
    block: Block,
    owner: string,
    page: PageStart | undefined,
    signal: AbortSignal,
  ): Promise<Approvals> {
    const { rows, logs, index } = this.#deps;
    const deadline = this.#searchedUntil();
    const indexed = keyed(await index?.approvals(owner, block, signal), (row) =>
      approvalOf({ ...row, spender: toChecksum(row.spender), owner }),
    );
    const filters = [{ topics: [APPROVAL_EVENTS, addressTopic(owner)] }];
    const read = (contract: string, log: Log) => approvalIn(log, contract, owner);
    const search = { filters, to: block, deadline, page, indexed, read };
    const { found, cut, next, ...searched } = await findCandidates(logs, search, signal);
    const sorted = found.toSorted(byKey);
    const allowances = await rows.read(block, sorted, signal);
    const open: OpenAllowance[] = [];
    const unread = allowances.unread.map(({ row: { token, spender }, reason }) => ({
      token,
      spender,
      reason,
    }));
    for (const { row, facts, value, data } of allowances.rows) {
      const { token, spender, kind } = row;
      const expiration = kind === 'permit2' ? readExpiration(data) : null;
      if (expiration === undefined) unread.push({ token, spender, reason: 'no_answer' });
      else open.push({ ...facts, spender, amount: kind === 'operator' ? null : value, expiration });
    }
    const byPair = new Map(unread.toReversed().map((pair) => [keyOf(pair), pair]));
    return { open, asked: sorted.length, unread: [...byPair.values()].toSorted(byKey), cut, searched, next };
  }

  /** By `performance.now()`. */
  #searchedUntil(): number {
    return performance.now() + LOGS_SHARE * this.#deps.deadlineMs;
  }
}

/** The candidates that rows of an index name. @param of takes a row with its token as EIP-55 */
function keyed<Row extends { readonly token: string }, T>(
  indexed: Indexed<Row> | undefined,
  of: (row: Row) => Keyed<T>,
): Indexed<Keyed<T>> | undefined {
  if (indexed === undefined) return undefined;
  const tokens = new Map(indexed.rows.map(({ token }) => [token, '']));
  for (const token of tokens.keys()) tokens.set(token, toChecksum(token));
  return { ...indexed, rows: indexed.rows.map((row) => of({ ...row, token: tokens.get(row.token)! })) };
}

function holdingOf(token: string, holder: string): Keyed<HoldingCandidate> {
  return [token, () => ({ token, call: balanceOfCall(token, holder), tokenId: null, fits: isPlain })];
}

function itemOf(token: string, holder: string, tokenId: bigint): Keyed<HoldingCandidate> {
  const make = () => ({ token, call: itemBalanceCall(token, holder, tokenId), tokenId, fits: hasIds });
  return [`${token} ${tokenId}`, make];
}

function* holdingsIn(log: Log, token: string, holder: string): Generator<Keyed<HoldingCandidate>> {
  // Ether is read from state, and its logs are no token's.
  if (log.address.toLowerCase() === ETHER_LOGS) return;
  if (log.topics[0] !== TOPICS.single && log.topics[0] !== TOPICS.batch) yield holdingOf(token, holder);
  for (const tokenId of transferredIds(log)) yield itemOf(token, holder, tokenId);
}

const hasIds = (type: TokenType): boolean => type === 'erc1155';
const isPlain = (type: TokenType): boolean => !hasIds(type);

function byTokenAndId(one: HoldingCandidate, other: HoldingCandidate): number {
  if (one.token !== other.token) return one.token < other.token ? -1 : 1;
  return (one.tokenId ?? -1n) < (other.tokenId ?? -1n) ? -1 : 1;
}

function keyOf({ token, spender, kind = '' }: SpenderOf & { readonly kind?: string }): string {
  return `${token} ${spender}${kind}`;
}

function byKey(one: SpenderOf, other: SpenderOf): number {
  return keyOf(one) < keyOf(other) ? -1 : 1;
}
