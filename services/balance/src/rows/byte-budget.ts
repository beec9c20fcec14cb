/** Room for the bytes of a body, or of a window that was read. */
export interface Claim {
  /** False while it waits in line. */
  readonly isGranted: boolean;
  readonly bytes: number;
}

interface OpenClaim extends Claim {
  isGranted: boolean;
  bytes: number;
  readonly onGranted: () => void;
}

/**
 * Bounds the bytes that all bodies of a process hold together, or all windows, beyond the little that each may hold. Each
 * has room for all of it or waits in line, with none: two that had half of theirs each would wait for each other.
 */
export class ByteBudget {
  #left: number;
  /** In order of their arrival. */
  readonly #line = new Set<OpenClaim>();

  /** @param bytes that all may hold together */
  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Unclaimed bytes. */
  get left(): number {
    return this.#left;
  }

  /** Claims room. @param onGranted called once if it has to wait */
  claim(bytes: number, onGranted: () => void): Claim {
    const claim: OpenClaim = { bytes, isGranted: false, onGranted };
    if (this.#line.size === 0 && bytes <= this.#left) this.#grant(claim);
    else this.#line.add(claim);
    return claim;
  }

  /** Makes a claim smaller; with 0 bytes it is given up. */
  shrink(claim: Claim, bytes: number): void {
    const own = claim as OpenClaim;
    if (own.isGranted) this.#left += own.bytes - bytes;
    own.bytes = bytes;
    if (bytes === 0) this.#line.delete(own);
    for (const first of this.#line) {
      if (first.bytes > this.#left) return;
      this.#line.delete(first);
      this.#grant(first);
      first.onGranted();
    }
  }

  #grant(claim: OpenClaim): void {
    this.#left -= claim.bytes;
    claim.isGranted = true;
  }
}
