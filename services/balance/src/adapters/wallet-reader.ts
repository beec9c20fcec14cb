/** Reads what a wallet held and what it allowed at one block, among what logs name. */
import { toChecksum } from '@hindsight/chain/address.ts';
import type { LogSearch } from '@hindsight/chain/logs/log-search.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import type { ChainReader } from '@hindsight/chain/state/reader.ts';
import { operatorCall } from '@hindsight/chain/tokens/token-calls.ts';
import { addressTopic, TOPICS, topicAddress } from '@hindsight/chain/tokens/token-events.ts';
import { allowanceCall, balanceOfCall, type TokenFacts } from '@hindsight/chain/tokens/token-facts.ts';
import type { AllowanceListReading, OpenAllowance } from '../domain/allowance-list.ts';
import type { HeldToken, PortfolioReading } from '../domain/portfolio.ts';
import { findCandidates } from './candidates.ts';
import type { TokenRowReader } from './token-rows.ts';

interface WalletReaderDeps {
  readonly reader: ChainReader;
  readonly rows: TokenRowReader;
  readonly logs: LogSearch;
}

/** Holdings without the block. */
type Holdings = Pick<PortfolioReading, 'wei' | 'held' | 'asked' | 'unread' | 'searched'>;
/** Approvals without the block. */
type Approvals = Pick<AllowanceListReading, 'open' | 'asked' | 'unread' | 'searched'>;

/** Reads wallets of one network. */
export class WalletReader {
  readonly #deps: WalletReaderDeps;

  constructor(deps: WalletReaderDeps) {
    this.#deps = deps;
  }

  /** Ether, and the tokens of which logs say that the holder had something to do with them. @throws {NodeError} */
  async readHoldings(block: Block, holder: string, signal: AbortSignal): Promise<Holdings> {
    const { reader, rows, logs } = this.#deps;
    const topic = addressTopic(holder);
    const filters = [
      { topics: [TOPICS.transfer, null, topic] },
      // A transfer's sender, and what wrapped ether and others emit in place of a transfer.
      { topics: [[TOPICS.transfer, TOPICS.deposit, TOPICS.withdrawal, TOPICS.approval], topic] },
    ];
    const { found, ...searched } = await findCandidates(
      logs,
      { filters, to: block.number, read: ({ address }) => [address, toChecksum(address)] },
      signal,
    );
    const asked = found.toSorted();
    const [read, ether] = await Promise.all([
      rows.read(
        block,
        asked.map((token) => ({ call: balanceOfCall(token, holder) })),
        signal,
      ),
      reader.read(block, [{ kind: 'wei', target: holder }], signal),
    ]);
    const held = read.rows.flatMap(({ row, facts, value }): HeldToken[] => {
      const { type } = facts;
      if (type !== 'erc20' && type !== 'erc721') return [];
      return [{ ...named(row.call.target, facts), type, balance: value }];
    });
    const [wei] = ether.results;
    if (wei?.status !== 'wei') throw new TypeError('an amount of wei was asked for');
    return { wei: wei.wei, held, asked, unread: read.unread.map(({ call }) => call.target), searched };
  }

  /** What an owner's spenders may spend, and its operators, among those that logs name. @throws {NodeError} */
  async readApprovals(block: Block, owner: string, signal: AbortSignal): Promise<Approvals> {
    const { rows, logs } = this.#deps;
    const filters = [{ topics: [[TOPICS.approval, TOPICS.approvalForAll], addressTopic(owner)] }];
    const { found, ...searched } = await findCandidates(
      logs,
      {
        filters,
        to: block.number,
        read({ address, topics }) {
          const [event, , third] = topics;
          const spender = topicAddress(third);
          if (spender === null) return undefined;
          const isOperator = event === TOPICS.approvalForAll;
          const token = toChecksum(address);
          const call = isOperator
            ? operatorCall(token, owner, spender)
            : allowanceCall(token, owner, spender);
          return [`${token} ${spender} ${isOperator}`, { token, spender, isOperator, call }];
        },
      },
      signal,
    );
    const sorted = found.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    const read = await rows.read(block, sorted, signal);
    const open = read.rows.flatMap(({ row, facts, value }): OpenAllowance[] => {
      const { type } = facts;
      const { token, spender, isOperator } = row;
      if (type === 'none' || type === 'other' || isOperator === (type === 'erc20')) return [];
      return [{ ...named(token, facts), type, spender, amount: isOperator ? null : value }];
    });
    return { open, asked: sorted.length, unread: read.unread, searched };
  }
}

function keyOf({ token, spender }: { readonly token: string; readonly spender: string }): string {
  return `${token} ${spender}`;
}

function named(
  token: string,
  { name, symbol, decimals }: TokenFacts,
): Pick<HeldToken, 'token' | 'name' | 'symbol' | 'decimals'> {
  return { token, name, symbol, decimals };
}
