/** Actions on an ERC-20, each as a transaction and as an entry in the books. */
import type { Script } from '../story/script.ts';

const MAX_UINT256 = 2n ** 256n - 1n;

/** A token with amounts that can be sent. */
export interface Fungible {
  balanceOf(holder: string): bigint;
  transfer(from: string, to: string, value: bigint): void;
}

export class Erc20 implements Fungible {
  readonly address: string;
  protected readonly script: Script;
  protected readonly contract: string;
  readonly #balances = new Map<string, bigint>();
  readonly #allowances = new Map<string, bigint>();

  /** `contract` names the artifact of the ABI at `address`. */
  constructor(script: Script, contract: string, address: string, since: number) {
    this.script = script;
    this.contract = contract;
    this.address = address;
    script.ledger.open(address, since);
  }

  balanceOf(holder: string): bigint {
    return this.#balances.get(holder) ?? 0n;
  }

  allowanceOf(owner: string, spender: string): bigint {
    return this.#allowances.get(`${owner} ${spender}`) ?? 0n;
  }

  /** The minter receives the tokens: anyone may mint, which keeps senders varied. */
  mint(to: string, value: bigint): void {
    this.send(to, 'mint', [to, value]);
    this.add(to, value);
  }

  transfer(from: string, to: string, value: bigint): void {
    this.send(from, 'transfer', [to, value]);
    this.add(from, -value);
    this.add(to, value);
  }

  /** A transfer of more than the sender has: reverts, and changes nothing. */
  overdraw(from: string, to: string): void {
    const args = [to, this.balanceOf(from) + 1n];
    this.script.call(from, this.address, this.contract, 'transfer', args, { fails: true });
  }

  approve(owner: string, spender: string, value: bigint): void {
    this.send(owner, 'approve', [spender, value]);
    this.#setAllowance(owner, spender, value);
  }

  /** Has `spender` move tokens of `from`, by its allowance. */
  spend(spender: string, from: string, to: string, value: bigint): void {
    this.send(spender, 'transferFrom', [from, to, value]);
    this.bookSpending(spender, from, to, value);
  }

  /** Books the amount that `spend` moves, for a contract that spends within another call. */
  bookSpending(spender: string, from: string, to: string, value: bigint): void {
    const allowed = this.allowanceOf(from, spender);
    if (allowed < value) throw new Error(`${spender} may not spend ${value} of ${from}`);
    // The highest allowance is without limit and is not used up.
    if (allowed !== MAX_UINT256) this.#setAllowance(from, spender, allowed - value);
    this.add(from, -value);
    this.add(to, value);
  }

  protected send(from: string, method: string, args: unknown[], value = 0n): void {
    this.script.call(from, this.address, this.contract, method, args, { value });
  }

  protected add(holder: string, amount: bigint): void {
    const value = this.balanceOf(holder) + amount;
    if (value < 0n) throw new Error(`${holder} has not enough of ${this.address}`);
    this.#balances.set(holder, value);
    const { block, ledger } = this.script;
    ledger.record({ kind: 'balance', token: this.address, holder, block, value });
  }

  #setAllowance(owner: string, spender: string, value: bigint): void {
    this.#allowances.set(`${owner} ${spender}`, value);
    const { block, ledger } = this.script;
    ledger.record({ kind: 'allowance', token: this.address, owner, spender, block, value });
  }
}
