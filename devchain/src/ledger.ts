/** The books of the plan: balances after each block, written during planning, without a node. */
import { CHAIN } from './world.ts';

export type LedgerEntry =
  | { kind: 'balance'; token: string; holder: string; block: number; value: bigint }
  | { kind: 'item'; token: string; holder: string; id: bigint; block: number; value: bigint }
  | { kind: 'allowance'; token: string; owner: string; spender: string; block: number; value: bigint }
  | { kind: 'native'; holder: string; block: number; value: bigint }
  | { kind: 'name'; name: string; block: number; address: string | null };

/**
 * All amounts are after the block, in the smallest unit. Unwritten entries are 0 (names: null). Throws a
 * RangeError for a block that is not on the chain, and for a token before its first block.
 */
export interface Ledger {
  /** Every change, in the order of blocks; one entry a block and account. */
  readonly entries: readonly LedgerEntry[];
  /** ERC-20 amount or number of ERC-721 tokens. */
  balanceAt(token: string, holder: string, block: number): bigint;
  /** Amount of one ERC-1155 id. */
  itemAt(token: string, holder: string, id: bigint, block: number): bigint;
  allowanceAt(token: string, owner: string, spender: string, block: number): bigint;
  /** Wei. */
  nativeAt(holder: string, block: number): bigint;
  /** The address of an ENS name. */
  nameAt(name: string, block: number): string | null;
}

/** The writable ledger: entries must be recorded in the order of blocks. */
export class LedgerBook implements Ledger {
  readonly entries: LedgerEntry[] = [];
  readonly #pages = new Map<string, LedgerEntry[]>();
  readonly #since = new Map<string, number>();

  /** Records the first block at which the token's contract exists. */
  open(token: string, since: number): void {
    this.#since.set(token.toLowerCase(), since);
  }

  record(entry: LedgerEntry): void {
    const key = pageOf(entry);
    const page = this.#pages.get(key) ?? [];
    this.#pages.set(key, page);
    const last = page.at(-1);
    if (last?.block === entry.block) {
      Object.assign(last, entry);
      return;
    }
    if (last !== undefined && last.block > entry.block) throw new Error(`${key} is written backwards`);
    page.push(entry);
    this.entries.push(entry);
  }

  balanceAt(token: string, holder: string, block: number): bigint {
    this.#requireToken(token, block);
    return this.#amount(['balance', token, holder], block);
  }

  itemAt(token: string, holder: string, id: bigint, block: number): bigint {
    this.#requireToken(token, block);
    return this.#amount(['item', token, holder, String(id)], block);
  }

  allowanceAt(token: string, owner: string, spender: string, block: number): bigint {
    this.#requireToken(token, block);
    return this.#amount(['allowance', token, owner, spender], block);
  }

  nativeAt(holder: string, block: number): bigint {
    return this.#amount(['native', holder], block);
  }

  nameAt(name: string, block: number): string | null {
    const entry = this.#find(['name', name], block);
    return entry?.kind === 'name' ? entry.address : null;
  }

  #amount(parts: string[], block: number): bigint {
    const entry = this.#find(parts, block);
    return entry === undefined || entry.kind === 'name' ? 0n : entry.value;
  }

  #find(parts: string[], block: number): LedgerEntry | undefined {
    if (!Number.isInteger(block) || block < CHAIN.genesis || block > CHAIN.head) {
      throw new RangeError(`block ${block} is not on the dev chain (${CHAIN.genesis} to ${CHAIN.head})`);
    }
    return this.#pages.get(keyOf(parts))?.findLast((entry) => entry.block <= block);
  }

  #requireToken(token: string, block: number): void {
    const since = this.#since.get(token.toLowerCase());
    if (since === undefined) throw new RangeError(`${token} is not a token of the dev chain`);
    if (block < since) throw new RangeError(`${token} does not exist before block ${since}`);
  }
}

function pageOf(entry: LedgerEntry): string {
  switch (entry.kind) {
    case 'balance':
      return keyOf(['balance', entry.token, entry.holder]);
    case 'item':
      return keyOf(['item', entry.token, entry.holder, String(entry.id)]);
    case 'allowance':
      return keyOf(['allowance', entry.token, entry.owner, entry.spender]);
    case 'native':
      return keyOf(['native', entry.holder]);
    case 'name':
      return keyOf(['name', entry.name]);
  }
}

function keyOf(parts: string[]): string {
  return parts.join(' ').toLowerCase();
}
