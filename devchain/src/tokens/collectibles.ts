/** ERC-721 and ERC-1155, as transactions and in the books. */
import type { Script } from '../story/script.ts';

export class Collectible {
  readonly address: string;
  readonly #script: Script;
  readonly #contract: string;
  readonly #owners = new Map<bigint, string>();
  readonly #counts = new Map<string, bigint>();

  constructor(script: Script, contract: 'ApeToken' | 'KittyToken', address: string, since: number) {
    this.#script = script;
    this.#contract = contract;
    this.address = address;
    script.ledger.open(address, since);
  }

  get owners(): [bigint, string][] {
    return [...this.#owners];
  }

  mint(to: string, tokenId: bigint): void {
    this.#script.call(to, this.address, this.#contract, 'mint', [to, tokenId]);
    this.#owners.set(tokenId, to);
    this.#count(to, 1n);
  }

  give(tokenId: bigint, to: string): void {
    const from = this.#owners.get(tokenId);
    if (from === undefined) throw new Error(`there is no token ${tokenId}`);
    // Kitties know only transfer(to, id); the standard came to want the giver as well.
    const [method, args] =
      this.#contract === 'KittyToken' ? ['transfer', [to, tokenId]] : ['transferFrom', [from, to, tokenId]];
    this.#script.call(from, this.address, this.#contract, method, args);
    this.#owners.set(tokenId, to);
    this.#count(from, -1n);
    this.#count(to, 1n);
  }

  #count(holder: string, change: bigint): void {
    const value = (this.#counts.get(holder) ?? 0n) + change;
    this.#counts.set(holder, value);
    const { block, ledger } = this.#script;
    ledger.record({ kind: 'balance', token: this.address, holder, block, value });
  }
}

export class Items {
  readonly address: string;
  readonly #script: Script;
  readonly #amounts = new Map<string, bigint>();

  constructor(script: Script, address: string, since: number) {
    this.#script = script;
    this.address = address;
    script.ledger.open(address, since);
  }

  amountOf(holder: string, id: bigint): bigint {
    return this.#amounts.get(`${holder} ${id}`) ?? 0n;
  }

  mint(to: string, id: bigint, value: bigint): void {
    this.#script.call(to, this.address, 'ItemToken', 'mint', [to, id, value]);
    this.#add(to, id, value);
  }

  give(from: string, to: string, id: bigint, value: bigint): void {
    this.#script.call(from, this.address, 'ItemToken', 'safeTransferFrom', [from, to, id, value, '0x']);
    this.#add(from, id, -value);
    this.#add(to, id, value);
  }

  #add(holder: string, id: bigint, change: bigint): void {
    const value = this.amountOf(holder, id) + change;
    if (value < 0n) throw new Error(`${holder} has not enough of item ${id}`);
    this.#amounts.set(`${holder} ${id}`, value);
    const { block, ledger } = this.#script;
    ledger.record({ kind: 'item', token: this.address, holder, id, block, value });
  }
}
