/** The standards of tokens, as their events are read: the same number of an event is an amount of one token and the id of another. */
import { CRYPTO_PUNKS } from '@hindsight/chain/networks.ts';
import type { Standard } from '../domain/transfer.ts';
import { textOf } from '@hindsight/http/other-service.ts';
import { unavailable, type ErrorBody } from '@hindsight/kernel/errors.ts';
import { partsOf } from '@hindsight/kernel/parts.ts';
import type { BalanceQuestions } from './balance-answers.ts';

/** Rows of one request, and tokens that are kept. */
const MOST_ROWS = 1_000;
const MOST_KEPT = 10_000;

/** Asks the balance service, once for each token. */
export class TokenStandards {
  readonly #balances: BalanceQuestions;
  readonly #known = new Map<string, Standard>();

  constructor(balances: BalanceQuestions) {
    this.#balances = balances;
  }

  /**
   * Of each of these tokens, by its lower-cased address. A contract that is no token at the block has none.
   * @throws {ApiError} as the balance service answers
   */
  async of(
    tokens: Iterable<string>,
    hash: string,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Standard>> {
    const found = new Map<string, Standard>();
    const open: string[] = [];
    // Before any question: while one is under way, another page may empty the memory.
    for (const token of new Set(tokens)) {
      const standard = this.#known.get(token);
      if (standard === undefined) open.push(token);
      else found.set(token, standard);
    }
    for (const part of partsOf(open, MOST_ROWS)) await this.#ask(part, { hash, found }, signal);
    if (this.#known.size > MOST_KEPT) this.#known.clear();
    return found;
  }

  /** @param hash of the block; the latest where not given @param found gets what is answered */
  async #ask(
    tokens: readonly string[],
    { hash, found }: { readonly hash?: string; readonly found: Map<string, Standard> },
    signal: AbortSignal,
  ): Promise<void> {
    // Of any holder; the contract itself is one that no token refuses, as many do the zero address.
    const rows = tokens.map((token) => ({ token_address: token, holder: token, block_hash: hash }));
    const body = { type: 'application/json', text: JSON.stringify(rows) } as const;
    const answer = await textOf(await this.#balances.send('balance/batch', body, signal));
    const records = JSON.parse(answer) as readonly {
      readonly token_type?: Standard;
      readonly error?: ErrorBody;
    }[];
    const stateless: string[] = [];
    for (const [i, { token_type: type, error }] of records.entries()) {
      const token = tokens[i]!;
      if (hash !== undefined && error?.code === 'state_unavailable') {
        stateless.push(token);
        continue;
      }
      // As a contract that is no token it would be taken for one of another standard.
      if (error !== undefined && (error.statusCode >= 500 || error.code === 'block_not_canonical'))
        throw unavailable('service_unavailable', error.message);
      const own = token === CRYPTO_PUNKS ? 'punks' : type;
      const standard = error?.code === 'wrong_token_standard' ? 'erc1155' : own;
      if (standard === undefined) continue;
      found.set(token, standard);
      // At once: where the next one gives no answer, the same page will be asked for again.
      this.#known.set(token, standard);
    }
    // A token keeps its standard: it is asked for where no node keeps the state of the block, whose logs may still be there.
    if (stateless.length > 0) await this.#ask(stateless, { found }, signal);
  }
}
