import type { Attributes, Counter, Meter } from '@opentelemetry/api';
import type { Checkpoint, IndexedRange } from '../ports.ts';

/** Counts what indexing adds to the list, for meters. */
export class ListReporter {
  readonly #contracts: Counter;
  readonly #of: Attributes;
  #count: number | undefined;

  /** @param measured the network's name goes with every measurement */
  constructor({ meter, network }: { readonly meter: Meter; readonly network: string }) {
    this.#of = { 'hindsight.network': network };
    const judged = { description: 'Contracts found, by type' };
    this.#contracts = meter.createCounter('hindsight_tokens_judged_contracts', judged);
    const listed = meter.createObservableGauge('hindsight_tokens_listed', {
      description: 'Tokens in the list',
    });
    listed.addCallback((result) => {
      if (this.#count !== undefined) result.observe(this.#count, this.#of);
    });
  }

  listed(checkpoint: Checkpoint | null): void {
    this.#count = checkpoint?.count;
  }

  added(checkpoint: Checkpoint, { tokens, others }: IndexedRange): void {
    this.listed(checkpoint);
    for (const { type } of tokens) this.#contracts.add(1, { ...this.#of, type });
    this.#contracts.add(others.length, { ...this.#of, type: 'none' });
  }
}
