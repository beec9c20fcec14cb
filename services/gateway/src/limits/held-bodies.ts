/** Bounds the memory of request bodies: those that come slowly, or wait for a service, are held whole. */
import { placesTaken } from '../domain/refusals.ts';

/** Shorter ones are not counted: the burst limits bound them well enough, and orders are among them. */
const COUNTED_BYTES = 64 * 1024;

interface MostBytes {
  readonly all: number;
  /** Of one account's projects, or of all that use the demo key. */
  readonly holder: number;
}

export class HeldBodies {
  readonly #most: MostBytes;
  readonly #held = new Map<string, number>();
  #all = 0;

  constructor(most: MostBytes) {
    this.#most = most;
  }

  /**
   * Takes room for a body.
   * @param headers of a refusal
   * @returns a function that gives the room back, called once
   * @throws {ApiError} 503 if there is none
   */
  take(holder: string, bytes: number, headers: Readonly<Record<string, string>> = {}): () => void {
    if (bytes <= COUNTED_BYTES) return () => undefined;
    const held = (this.#held.get(holder) ?? 0) + bytes;
    if (held > this.#most.holder || this.#all + bytes > this.#most.all)
      throw placesTaken('large bodies', headers);
    this.#all += bytes;
    this.#held.set(holder, held);
    return () => {
      this.#all -= bytes;
      const left = (this.#held.get(holder) ?? 0) - bytes;
      if (left > 0) this.#held.set(holder, left);
      else this.#held.delete(holder);
    };
  }
}
