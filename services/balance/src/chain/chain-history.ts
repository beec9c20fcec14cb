import type { Block, BlockQuery } from '@hindsight/chain/state/block.ts';
import type { EtherLogs } from '@hindsight/chain/logs/ether-logs.ts';
import type { LogSearch } from '@hindsight/chain/logs/log-search.ts';
import type { CallSeriesQuestion, CallSeriesReading } from '../domain/call/call-series.ts';
import type { ChangesQuestion, ChangesReading } from '../domain/changes.ts';
import type { NetworkName, When } from '../domain/pinned.ts';
import type { Asked, Question, Resolved } from '../domain/question.ts';
import type { ReconcileQuestion, ReconcileReading } from '../domain/reconcile.ts';
import type { SeriesQuestion, SeriesReading } from '../domain/series.ts';
import type { StatementQuestion, StatementReading } from '../domain/statement.ts';
import type { WalletChangesQuestion, WalletChangesReading } from '../domain/wallet-changes.ts';
import type { History, PinnedAnswer, StateAt } from '../ports.ts';
import { readCallSeries } from './call-series-reader.ts';
import { readChanges } from './changes-reader.ts';
import type { EventIndex } from './event-index.ts';
import { publicly } from './public-error.ts';
import { unlessReorganised } from './ranges.ts';
import { reconcile } from './reconcile-reader.ts';
import { readSeries } from './series-reader.ts';
import { readStatement } from './statement-reader.ts';
import { readWalletChanges } from './wallet-changes-reader.ts';
import { StateAtBlock, type Readers } from './state-at-block.ts';

interface ChainHistoryDeps extends Readers {
  readonly network: NetworkName;
  readonly logs: LogSearch;
  readonly index?: EventIndex | undefined;
  readonly etherLogs: EtherLogs;
  /** Milliseconds for a request in all. */
  readonly deadlineMs: number;
}

/** A network's history, read from its nodes. */
export class ChainHistory implements History {
  readonly network: NetworkName;
  readonly #deps: ChainHistoryDeps;

  constructor(deps: ChainHistoryDeps) {
    this.network = deps.network;
    this.#deps = deps;
  }

  read<Q extends Asked, R>(
    { asked, when }: Question<Q>,
    read: (state: StateAt, asked: Resolved<Q>) => Promise<R>,
    signal: AbortSignal,
  ): Promise<PinnedAnswer<R>> {
    return unlessReorganised(async () => {
      const state = new StateAtBlock(this.#deps, when, await this.locate(when, signal), signal);
      const answer = await read(state, await state.resolve(asked));
      return { answer, ...state.pin() };
    });
  }

  finalizedHash(when: When): string | undefined {
    if (when === 'latest' || 'date' in when) return undefined;
    // Whatever is kept under a hash was finalized.
    if ('hash' in when) return when.hash;
    const { reader } = this.#deps;
    const block = reader.knownBlock(when.height);
    return block && reader.isFinalized(block) ? block.hash : undefined;
  }

  series(question: SeriesQuestion, signal: AbortSignal): Promise<SeriesReading> {
    return readSeries(this.#deps, question, signal);
  }

  callSeries(question: CallSeriesQuestion, signal: AbortSignal): Promise<CallSeriesReading> {
    return readCallSeries(this.#deps, question, signal);
  }

  changes(question: ChangesQuestion, signal: AbortSignal): Promise<ChangesReading> {
    return readChanges(this.#deps, question, signal);
  }

  walletChanges(question: WalletChangesQuestion, signal: AbortSignal): Promise<WalletChangesReading> {
    return readWalletChanges(this.#deps, question, signal);
  }

  statement(question: StatementQuestion, signal: AbortSignal): Promise<StatementReading> {
    return readStatement(this.#deps, question, signal);
  }

  reconcile(question: ReconcileQuestion, signal: AbortSignal): Promise<ReconcileReading> {
    return reconcile(this.#deps, question, signal);
  }

  /**
   * Finds the block of a question, as far as it must be known before any other request.
   * @throws {ApiError} as `read`
   */
  async locate(when: When, signal: AbortSignal): Promise<BlockQuery | Block> {
    if (when === 'latest') return when;
    if ('height' in when) return when.height;
    const { dates, reader } = this.#deps;
    return publicly(
      'hash' in when ? reader.findBlockByHash(when.hash, signal) : dates.findBlockAt(when.date, signal),
    );
  }
}
