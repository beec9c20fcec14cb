/** Random traffic: every block holders pay, approve, spend, swap and give; the same for every run. */
import { Dice } from '../dice.ts';
import type { Erc20, Fungible } from '../tokens/erc20.ts';
import { CONTRACTS, HOLDERS, TOKENS } from '../world.ts';
import { type Cast, PLAYERS } from './cast.ts';

const SEED = 18_000_000;
const { relay } = HOLDERS;

/** Writes up to three things a call into the current block. */
export class Traffic {
  readonly #dice = new Dice(SEED);
  readonly #cast: Cast;
  /** A die with a hundred faces: how often each thing happens. */
  readonly #faces: readonly (() => void)[];

  constructor(cast: Cast) {
    this.#cast = cast;
    const share = (percent: number, act: () => void) => Array<() => void>(percent).fill(act);
    this.#faces = [
      ...share(38, () => this.#transfer()),
      ...share(14, () => this.#payEther()),
      ...share(12, () => this.#approve()),
      ...share(12, () => this.#spend()),
      ...share(6, () => this.#giveCollectible()),
      ...share(5, () => this.#giveItem()),
      ...share(8, () => this.#wrap()),
      ...share(3, () => this.#stake()),
      ...share(2, () => this.#count()),
    ];
  }

  write(): void {
    for (let left = this.#dice.roll(4); left > 0; left -= 1) this.#dice.pick(this.#faces)();
  }

  #transfer(): void {
    const { uni, usdt, usdc, mkr, nameless, script20, weth, steth, late, script } = this.#cast;
    const tokens: Fungible[] = [uni, usdc, usdc, usdt, usdt, mkr, weth, weth, steth, nameless, script20];
    if (script.block > TOKENS.late.since) tokens.push(late, late, late);
    const token = this.#dice.pick(tokens);
    const from = this.#holderOf(token);
    // Now and then everything goes: zero is a balance too.
    const all = this.#dice.roll(12) === 0;
    token.transfer(from, this.#player(), all ? token.balanceOf(from) : this.#part(token.balanceOf(from)));
  }

  #payEther(): void {
    const { script } = this.#cast;
    const from = this.#player();
    script.pay(from, this.#player(), this.#part(script.weiOf(from)));
  }

  #approve(): void {
    const { uni, usdt, usdc, mkr, weth } = this.#cast;
    const token = this.#dice.pick([uni, usdt, usdc, mkr, weth]);
    const owner = this.#holderOf(token);
    const allowed = token.allowanceOf(owner, relay);
    // Tether wants zero in between.
    token.approve(
      owner,
      relay,
      token === usdt && allowed > 0n ? 0n : this.#part(token.balanceOf(owner)) * 3n,
    );
  }

  #spend(): void {
    const { uni, usdt, usdc, mkr, weth } = this.#cast;
    const candidates: [Erc20, string, bigint][] = [];
    for (const token of [uni, usdt, usdc, mkr, weth]) {
      for (const owner of PLAYERS) {
        const [allowed, balance] = [token.allowanceOf(owner, relay), token.balanceOf(owner)];
        if (allowed > 0n && balance > 0n)
          candidates.push([token, owner, allowed < balance ? allowed : balance]);
      }
    }
    if (candidates.length === 0) return;
    const [token, owner, most] = this.#dice.pick(candidates);
    token.spend(relay, owner, this.#player(), this.#dice.roll(3) === 0 ? most : this.#part(most));
  }

  #giveCollectible(): void {
    const { bayc, kitties } = this.#cast;
    const collectible = this.#dice.pick([bayc, kitties]);
    const [tokenId] = this.#dice.pick(collectible.owners);
    collectible.give(tokenId, this.#player());
  }

  #giveItem(): void {
    const { items } = this.#cast;
    const id = BigInt(this.#dice.roll(3));
    const from = this.#dice.pick(PLAYERS.filter((holder) => items.amountOf(holder, id) > 0n));
    items.give(from, this.#player(), id, 1n);
  }

  #wrap(): void {
    const { weth, script } = this.#cast;
    const holder = this.#player();
    const wrapped = weth.balanceOf(holder);
    if (wrapped > 0n && this.#dice.roll(2) === 0) weth.withdraw(holder, this.#part(wrapped));
    else weth.deposit(holder, this.#part(script.weiOf(holder)));
  }

  #stake(): void {
    const { steth, script } = this.#cast;
    const holder = this.#player();
    steth.submit(holder, this.#part(script.weiOf(holder)));
  }

  #count(): void {
    this.#cast.script.call(this.#player(), CONTRACTS.counter, 'Counter', 'increase', []);
  }

  #player(): string {
    return this.#dice.pick(PLAYERS);
  }

  #holderOf(token: Fungible): string {
    return this.#dice.pick(PLAYERS.filter((holder) => token.balanceOf(holder) > 0n));
  }

  /** Between one and thirty percent. */
  #part(amount: bigint): bigint {
    return (amount * BigInt(1 + this.#dice.roll(30))) / 100n;
  }
}
