import type { NetworkName } from '../domain/pinned.ts';
import type { History } from '../ports.ts';
import { readCallSeries } from './call-series-reader.ts';
import { readChanges } from './changes-reader.ts';
import type { ChangesDeps } from './changes-search.ts';
import { locate, unlessReorganised } from './ranges.ts';
import { reconcile } from './reconcile-reader.ts';
import { readSeries } from './series-reader.ts';
import { readStatement } from './statement-reader.ts';
import { readWalletChanges } from './wallet-changes-reader.ts';
import { openState, type Readers } from './state-at-block.ts';

interface ChainHistoryDeps extends Readers, ChangesDeps {
  readonly network: NetworkName;
}

export function createHistory(deps: ChainHistoryDeps): History {
  const { network, reader } = deps;
  return {
    network,
    read: ({ asked, when }, read, signal) =>
      unlessReorganised(async () => {
        const { state, resolve, pin } = openState(deps, when, await locate(deps, when, signal), signal);
        const answer = await read(state, await resolve(asked));
        return { answer, ...pin() };
      }),
    finalizedHash(when) {
      if (when === 'latest' || 'date' in when) return undefined;
      // Whatever is kept under a hash was finalized.
      if ('hash' in when) return when.hash;
      const block = reader.knownBlock(when.height);
      return block && reader.isFinalized(block) ? block.hash : undefined;
    },
    series: (question, signal) => unlessReorganised(() => readSeries(deps, question, signal)),
    callSeries: (question, signal) =>
      unlessReorganised(() => readCallSeries(deps, question, signal), 'target'),
    changes: (question, signal) => readChanges(deps, question, signal),
    walletChanges: (question, signal) => unlessReorganised(() => readWalletChanges(deps, question, signal)),
    statement: (question, signal) => unlessReorganised(() => readStatement(deps, question, signal)),
    reconcile: (question, signal) => unlessReorganised(() => reconcile(deps, question, signal)),
  };
}
