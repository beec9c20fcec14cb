/** Chance that a seed decides, so that a run can be repeated. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to below a bound. */
  below(bound: number): number {
    // xorshift32 of a Weyl sequence: consecutive seeds are far apart.
    this.#state = (this.#state + 0x9e_37_79_b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85_eb_ca_6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2_b2_ae_35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) % bound;
  }

  /** One of several. */
  of<T>(several: readonly T[]): T {
    return several[this.below(several.length)]!;
  }
}
