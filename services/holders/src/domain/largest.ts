/** The largest of many amounts, with a bound on what is kept. */

export interface Holding {
  readonly holder: string;
  readonly balance: bigint;
}

export class Largest {
  readonly #most: number;
  #kept: Holding[] = [];
  /** The least of the kept ones after they were last cut; no smaller one need be kept. */
  #least: Holding | undefined;

  /** @param most the number to keep */
  constructor(most: number) {
    this.#most = most;
  }

  add(holding: Holding): void {
    if (this.#least !== undefined && bySize(holding, this.#least) > 0) return;
    this.#kept.push(holding);
    if (this.#kept.length >= 2 * this.#most) this.#cut();
  }

  /** The largest first; equal ones in the order of addresses. */
  get(): readonly Holding[] {
    this.#cut();
    return this.#kept;
  }

  #cut(): void {
    this.#kept = this.#kept.sort(bySize).slice(0, this.#most);
    if (this.#kept.length === this.#most) this.#least = this.#kept.at(-1);
  }
}

function bySize(one: Holding, other: Holding): number {
  if (one.balance !== other.balance) return one.balance > other.balance ? -1 : 1;
  return one.holder.toLowerCase() < other.holder.toLowerCase() ? -1 : 1;
}

const PPM = 1_000_000n;

/** Millionths of a supply, rounded down; null where there is none, or the contract counts otherwise than its balances. */
export function shareOf(balance: bigint, supply: string | null): number | null {
  const whole = BigInt(supply ?? 0);
  if (whole === 0n) return null;
  const share = (balance * PPM) / whole;
  return share <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(share) : null;
}
