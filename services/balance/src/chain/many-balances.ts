/** Reads many balances at one block: their questions share calls that no other caller's are in. */
import { ApiError } from '@hindsight/kernel/errors.ts';
import { partsOf } from '@hindsight/kernel/parts.ts';
import { nextTurn } from '@hindsight/kernel/turns.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import type { Column, ColumnValue } from '@hindsight/chain/state/multicall/column.ts';
import type { CallItem } from '@hindsight/chain/state/multicall/multicall.ts';
import { balanceOfCall, readUint } from '@hindsight/chain/tokens/token-facts.ts';
import type { TokenFacts } from '@hindsight/chain/tokens/token.ts';
import { NATIVE, type Amount } from '../domain/asset.ts';
import type { NamesAt, NetworkName } from '../domain/pinned.ts';
import { TokenTrials, type Failure } from '../domain/token-trials.ts';
import type { ManyBalances, OpenBlock } from '../ports.ts';
import { askTogether } from './outcomes.ts';
import type { ProofReader } from './proof-reader.ts';
import { publicly, toPublicError } from './public-error.ts';
import { asRead, locate, type RangeDeps } from './ranges.ts';
import { resolveName, sameNamesAt } from './resolve-name.ts';

interface ManyBalancesDeps extends RangeDeps {
  readonly network: NetworkName;
  readonly proofs: ProofReader;
}

/** Questions that are repeated alone at once. */
const ALONE_AT_ONCE = 24;

export function createManyBalances(deps: ManyBalancesDeps): ManyBalances {
  const { network, reader, tokens } = deps;
  return {
    network,
    async open(assets, when, signal) {
      const at = await locate(deps, when, signal);
      const [first, ...others] = new Set(assets.filter((asset) => asset !== NATIVE));
      // The block comes in the same request as what the first token is.
      const opening: Promise<{ block: Block; facts?: TokenFacts }> =
        first === undefined ? reader.read(at, [], signal) : tokens.readFacts(at, first, signal);
      const { block, facts } = await publicly(opening);
      const read = await tokens.readManyFacts(block, others, signal);
      const byToken = new Map(others.map((token, i) => [token, read[i]!]));
      if (facts) byToken.set(first!, facts);
      return openBlock(deps, block, byToken);
    },
  };
}

/** @param factsOf what the tokens are that the block is opened for */
function openBlock(
  { reader, names, proofs }: ManyBalancesDeps,
  block: Block,
  factsOf: ReadonlyMap<string, TokenFacts | { readonly error: unknown }>,
): OpenBlock {
  const trialsOf = new Map([...factsOf.keys()].map((token) => [token, new TokenTrials()]));
  let namesAt: NamesAt | undefined;

  async function readShared(
    column: Column,
    trials: TokenTrials,
    into: { amounts: Amount[]; failures: Map<number, Failure>; signal: AbortSignal },
  ): Promise<void> {
    const { amounts, failures, signal } = into;
    const found = await ask(column, signal);
    for (let at = 0; at < found.length; at++) {
      const one = found[at]!;
      const failure = typeof one === 'string' ? one : undefined;
      amounts[at] = typeof one === 'string' ? undefined : one;
      if (!(one instanceof ApiError)) trials.noteShared(failure);
      if (failure !== undefined) failures.set(at, failure);
    }
  }

  /** As clients of a node would ask. */
  async function askDirectly(calls: readonly CallItem[], signal: AbortSignal): Promise<readonly Amount[]> {
    const outcomes = await askTogether(calls, (some) => reader.callDirectly(block, some, signal), signal);
    return outcomes.map((one) => ('error' in one ? toPublicError(one.error) : readUint(one)));
  }

  async function ask(column: Column, signal: AbortSignal): Promise<readonly (ColumnValue | ApiError)[]> {
    // To pack thousands of questions and to read their answers are turns of their own.
    await nextTurn();
    const values = await reader.readColumn(block, column, signal);
    await nextTurn();
    let [lastError, lastPublic]: [unknown, ApiError | undefined] = [undefined, undefined];
    return values.map((value) => {
      if (typeof value !== 'object') return value;
      // Hundreds of questions that shared a call share its error.
      if (value.error !== lastError || lastPublic === undefined)
        [lastError, lastPublic] = [value.error, toPublicError(value.error)];
      return lastPublic;
    });
  }

  return {
    get block() {
      return asRead(reader, block);
    },
    get namesAt() {
      return namesAt;
    },
    facts(token) {
      const facts = factsOf.get(token);
      if (facts === undefined) throw new RangeError('the block was not opened for that token');
      if ('error' in facts) throw toPublicError(facts.error);
      return facts;
    },
    async resolve(name, signal) {
      const asked = { field: 'holder', name, isOneOfMany: true };
      const resolving = resolveName(names, asked, block, signal).then((found) => {
        namesAt = sameNamesAt(namesAt, found.namesAt);
        return found.address;
      });
      return publicly(resolving, 'holder');
    },
    async prover(asset, signal) {
      const opened = await publicly(proofs.openBalances(block, asset, signal));
      return { shared: opened.shared, prove: (...asked) => publicly(opened.prove(...asked)) };
    },
    async read(asset, holders, signal, onProgress = () => undefined) {
      if (asset === NATIVE) {
        const column: Column = { of: (target) => ({ kind: 'wei', target }), accounts: holders };
        const values = await ask(column, signal);
        return values.map((value) => (typeof value === 'string' ? undefined : value));
      }
      const trials = trialsOf.get(asset);
      if (trials === undefined) throw new RangeError('the block was not opened for that token');
      const callOf = (holder: string): CallItem => balanceOfCall(asset, holder);
      if (trials.next === 'not') return holders.map(() => notAsked(asset));
      const amounts: Amount[] = [];
      const failures = new Map<number, Failure>();
      if (trials.next === 'alone') holders.forEach((_, at) => failures.set(at, 'burnt'));
      else await readShared({ of: callOf, accounts: holders }, trials, { amounts, failures, signal });
      onProgress();
      for (const failed of partsOf([...failures.keys()], ALONE_AT_ONCE)) {
        const worth = failed.filter((at) => trials.isWorthRepeating(failures.get(at)!));
        const repeated = await askDirectly(
          worth.map((at) => callOf(holders[at]!)),
          signal,
        );
        repeated.forEach((amount, i) => {
          const at = worth[i]!;
          amounts[at] = amount;
          if (amount instanceof ApiError) return;
          trials.noteAlone(failures.get(at)!, amount !== undefined);
        });
        for (const at of worth) failures.delete(at);
        onProgress();
      }
      // A revert with gas left is the contract's answer; what burnt all its gas may have had one.
      for (const [at, failure] of failures) if (failure === 'burnt') amounts[at] = notAsked(asset);
      return holders.map((_, at) => amounts[at]);
    },
  };
}

function notAsked(token: string): ApiError {
  return new ApiError(
    'call_too_costly',
    `The token ${token} burns all gas for this holder, as for others before in this request; ask for this holder alone`,
  );
}
