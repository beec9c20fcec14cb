import type { Clock } from './clock.ts';

/** Limits of a circuit; times in milliseconds. */
export interface CircuitLimits {
  /** Failures in a row that open it. */
  readonly failures: number;
  /** Time that it stays open at first; doubled each time a trial fails. */
  readonly openMs: number;
  readonly maxOpenMs: number;
}

/**
 * A circuit breaker: after a number of failures in a row it refuses everything for a while, then admits one
 * trial at a time. Every successful `enter` ends with `succeed`, `fail` or `leave`.
 */
export class Circuit {
  readonly #clock: Clock;
  readonly #limits: CircuitLimits;
  #failures = 0;
  #openMs = 0;
  #openUntil = 0;
  #trying = false;

  constructor(clock: Clock, limits: CircuitLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** `half-open`: the time is over, and a trial decides. */
  get state(): 'closed' | 'open' | 'half-open' {
    if (this.#openMs === 0) return 'closed';
    return this.waitMs > 0 ? 'open' : 'half-open';
  }

  /** True from a failure to the next success. */
  get hasFailed(): boolean {
    return this.#failures > 0;
  }

  /** Milliseconds until a trial may be made. */
  get waitMs(): number {
    return this.#openMs === 0 ? 0 : Math.max(0, this.#openUntil - this.#clock.now());
  }

  /** True if `enter` would succeed. */
  get admits(): boolean {
    const { state } = this;
    return state === 'closed' || (state === 'half-open' && !this.#trying);
  }

  enter(): boolean {
    if (!this.admits) return false;
    if (this.#openMs > 0) this.#trying = true;
    return true;
  }

  succeed(): void {
    this.#failures = 0;
    this.#openMs = 0;
  }

  /** Counts a failure. @returns whether that opened a closed circuit */
  fail(): boolean {
    this.#failures += 1;
    const wasClosed = this.#openMs === 0;
    if (wasClosed && this.#failures < this.#limits.failures) return false;
    // Requests that began before it opened carry no new information.
    if (this.state === 'open') return false;
    this.trip(Math.min(wasClosed ? this.#limits.openMs : this.#openMs * 2, this.#limits.maxOpenMs));
    return wasClosed;
  }

  /** Ends a passage that says nothing about the peer. */
  leave(): void {
    this.#trying = false;
  }

  /** Opens the circuit at once. @param openMs for how long */
  trip(openMs: number): void {
    this.#openMs = openMs;
    this.#openUntil = this.#clock.now() + openMs;
    this.#trying = false;
  }
}
