import type { Script } from '../story/script.ts';
import { Erc20 } from './erc20.ts';

/** A vault (ERC-4626): shares of what it holds of another token. */
export class Savings extends Erc20 {
  readonly #asset: Erc20;
  #shares = 0n;

  constructor(script: Script, asset: Erc20, address: string, since: number) {
    super(script, 'SavingsToken', address, since);
    this.#asset = asset;
  }

  deposit(holder: string, assets: bigint): void {
    const shares = (assets * (this.#shares + 1n)) / (this.#asset.balanceOf(this.address) + 1n);
    this.#asset.approve(holder, this.address, assets);
    this.send(holder, 'deposit', [assets, holder]);
    this.#asset.bookSpending(this.address, holder, this.address, assets);
    this.#shares += shares;
    this.add(holder, shares);
  }
}
