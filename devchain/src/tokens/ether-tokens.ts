/** Tokens that hold ether: wrapped and staked. */
import type { Script } from '../story/script.ts';
import { Erc20, type Fungible } from './erc20.ts';

export class WrappedEther extends Erc20 {
  deposit(holder: string, wei: bigint): void {
    this.send(holder, 'deposit', [], wei);
    this.add(holder, wei);
  }

  withdraw(holder: string, wei: bigint): void {
    this.send(holder, 'withdraw', [wei]);
    this.add(holder, -wei);
    this.script.moveWei(this.address, holder, wei);
  }
}

/** Holders own shares; a report changes what all shares are worth. */
export class StakedEther implements Fungible {
  readonly address: string;
  readonly #script: Script;
  readonly #shares = new Map<string, bigint>();
  readonly #booked = new Map<string, bigint>();
  #totalShares = 0n;
  #pooled = 0n;

  constructor(script: Script, address: string, since: number) {
    this.#script = script;
    this.address = address;
    script.ledger.open(address, since);
  }

  get pooled(): bigint {
    return this.#pooled;
  }

  balanceOf(holder: string): bigint {
    if (this.#totalShares === 0n) return 0n;
    return ((this.#shares.get(holder) ?? 0n) * this.#pooled) / this.#totalShares;
  }

  submit(holder: string, wei: bigint): void {
    const shares = this.#totalShares === 0n ? wei : this.#sharesFor(wei);
    this.#script.call(holder, this.address, 'StakedEther', 'submit', [], { value: wei });
    this.#pooled += wei;
    this.#totalShares += shares;
    this.#addShares(holder, shares);
    this.#book();
  }

  transfer(from: string, to: string, value: bigint): void {
    const shares = this.#sharesFor(value);
    this.#script.call(from, this.address, 'StakedEther', 'transfer', [to, value]);
    this.#addShares(from, -shares);
    this.#addShares(to, shares);
    this.#book();
  }

  /** Sets the worth of the pool. */
  report(oracle: string, pooled: bigint): void {
    this.#script.call(oracle, this.address, 'StakedEther', 'report', [pooled]);
    this.#pooled = pooled;
    this.#book();
  }

  #sharesFor(value: bigint): bigint {
    return (value * this.#totalShares) / this.#pooled;
  }

  #addShares(holder: string, shares: bigint): void {
    const value = (this.#shares.get(holder) ?? 0n) + shares;
    if (value < 0n) throw new Error(`${holder} has not enough shares`);
    this.#shares.set(holder, value);
  }

  /** Rounding can change any balance with any transfer: every holder is checked again. */
  #book(): void {
    const { block, ledger } = this.#script;
    for (const holder of this.#shares.keys()) {
      const value = this.balanceOf(holder);
      if (this.#booked.get(holder) === value) continue;
      this.#booked.set(holder, value);
      ledger.record({ kind: 'balance', token: this.address, holder, block, value });
    }
  }
}
