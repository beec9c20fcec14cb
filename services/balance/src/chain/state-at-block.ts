import type { Block, BlockQuery } from '@hindsight/chain/state/block.ts';
import type { MulticallItem, MulticallResult } from '@hindsight/chain/state/multicall/multicall.ts';
import type { AccountRef } from '../domain/account.ts';
import type { NamesAt, When } from '../domain/pinned.ts';
import type { Asked, Resolved } from '../domain/question.ts';
import type { Approvals, Holdings } from '../domain/wallet.ts';
import type { Feed } from '../feeds.ts';
import type { PinnedAnswer, StateAt } from '../ports.ts';
import { joinCalls } from './joined-calls.ts';
import { accountIn, resultsOf, weiIn } from './outcomes.ts';
import type { ProofReader } from './proof-reader.ts';
import { publicly } from './public-error.ts';
import { asRead, isForGood, type RangeDeps } from './ranges.ts';
import { resolveName, sameNamesAt } from './resolve-name.ts';
import type { WalletReader } from './wallet-reader.ts';

export interface Readers extends RangeDeps {
  readonly wallets: WalletReader;
  readonly proofs: ProofReader;
  /** Those of the operator's table about this network. */
  readonly feeds: readonly Feed[];
}

type Pin = Omit<PinnedAnswer<unknown>, 'answer'>;

interface OpenState {
  readonly state: StateAt;
  /** Resolves the names among parameters. Where there is one, the block is known afterwards. @throws {ApiError} */
  readonly resolve: <Q extends Asked>(asked: Q) => Promise<Resolved<Q>>;
  /** The block, and whether the answer is for good: decided once, as the answer must not contradict itself. */
  readonly pin: () => Pin;
}

/**
 * Opens the state at the block of one question, read from a network's nodes.
 * @param known the block of `when`, as far as it is known
 */
export function openState(
  { reader, tokens, names, wallets, proofs, feeds }: Readers,
  when: When,
  known: BlockQuery | Block,
  signal: AbortSignal,
): OpenState {
  const joined = joinCalls(reader, signal);
  let at = known;
  /**
   * True if an answer may change later although its block does not: a CCIP gateway answered, a name was read at a block that
   * is not final, not all logs were searched, or the operator's table was read.
   */
  let mayChange = false;
  let namesAt: NamesAt | undefined;
  let pinned: Pin | undefined;

  function pin(): Pin {
    if (typeof at !== 'object') throw new TypeError('no state was read yet');
    pinned ??= {
      block: { ...asRead(reader, at), namesAt },
      lasting: !mayChange && when !== 'latest' && isForGood(reader, at, 'date' in when),
    };
    return pinned;
  }

  async function resolve<Q extends Asked>(asked: Q): Promise<Resolved<Q>> {
    const resolved: Record<string, unknown> = { ...asked };
    for (const [field, account] of Object.entries(asked).filter(hasAccount)) {
      if ('address' in account) {
        resolved[field] = account.address;
        continue;
      }
      const found = await publicly(resolveName(names, { field, name: account.name }, at, signal), field);
      namesAt = sameNamesAt(namesAt, found.namesAt);
      resolved[field] = found.address;
      mayChange ||= !found.lasting;
      at = found.block;
    }
    return resolved as Resolved<Q>;
  }

  async function block(): Promise<Block> {
    if (typeof at !== 'object') at = await reader.findBlock(at, signal);
    return at;
  }

  /** Asks an item, in one request with the block where that is not known yet. */
  async function read(item: MulticallItem): Promise<MulticallResult | undefined> {
    const found = await reader.read(at, [item], signal);
    at = found.block;
    return found.results[0];
  }

  function searched<T extends Holdings | Approvals>(found: T): T {
    mayChange ||= !found.searched.complete;
    return found;
  }

  const state: StateAt = {
    get pinned() {
      return pin().block;
    },
    block,
    wei: async (account) => weiIn(await read({ kind: 'wei', target: account })),
    proveWei: async (account, wei) => proofs.ofWei(await block(), account, wei, signal),
    async weiOf(accounts) {
      const questions = accounts.map((target) => [{ kind: 'wei', target } as const]);
      const outcomes = await reader.readMany(await block(), questions, signal);
      return resultsOf(outcomes).map(([wei]) => weiIn(wei));
    },
    codeSize: async (account) => accountIn(await read({ kind: 'account', target: account })).codeSize,
    async code(account) {
      const item = { kind: 'account', target: account } as const;
      const [result] = await reader.callDirectly(await block(), [item], signal);
      const { code } = accountIn(result);
      if (code === undefined) throw new TypeError('an account was asked for directly');
      return code;
    },
    async token(call) {
      const { block: found, ...reading } = await tokens.read(at, call, signal);
      at = found;
      return reading;
    },
    number: async (call) => tokens.readNumber(await block(), call, signal),
    proveNumber: async (answered) => proofs.ofNumber(await block(), answered, signal),
    proveShares: async (answered) => proofs.ofShares(await block(), answered, signal),
    async facts(token) {
      const found = await tokens.readFacts(at, token, signal);
      at = found.block;
      return found.facts;
    },
    holdings: async (holder, page) =>
      searched(await wallets.readHoldings(await block(), holder, page, signal)),
    approvals: async (owner, page) =>
      searched(await wallets.readApprovals(await block(), owner, page, signal)),
    feeds(token) {
      mayChange = true;
      return feeds.filter(({ tokens: its }) => its.includes(token));
    },
    async calls(target, called, rows) {
      const own = await block();
      return joined.call({ target, called, rows: rows.map((data) => ({ block: own, data })) });
    },
    together: (tasks) => joined.together(tasks),
  };
  return { state, resolve, pin };
}

function hasAccount(entry: [string, unknown]): entry is [string, AccountRef] {
  const [, value] = entry;
  return typeof value === 'object' && value !== null && ('address' in value || 'name' in value);
}
