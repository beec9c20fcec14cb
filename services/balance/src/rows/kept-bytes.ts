/** A larger part is kept as it came. */
const SMALL_BYTES = 4_096;
/** Smaller ones are copied together, up to this size. */
const JOINED_BYTES = 16_384;

/** Most memory that bytes take for each of them, besides what they are joined in: senders choose how small parts are. */
export const MEMORY_PER_BYTE = 9 / 8;

/** The bytes of a body that are not worked on yet. Small parts are joined: a sender may make each of one byte. */
export class KeptBytes {
  readonly #parts: Buffer[] = [];
  /** Small parts that came after those. */
  #joined = Buffer.alloc(0);
  #joinedBytes = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(part: Buffer): void {
    this.#length += part.length;
    if (part.length > SMALL_BYTES) {
      this.#flush();
      this.#parts.push(part);
      return;
    }
    if (this.#joinedBytes + part.length > JOINED_BYTES) this.#flush();
    if (this.#joined.length === 0) this.#joined = Buffer.alloc(JOINED_BYTES);
    part.copy(this.#joined, this.#joinedBytes);
    this.#joinedBytes += part.length;
  }

  /** Takes the first of them away. */
  shift(): Buffer | undefined {
    if (this.#parts.length === 0) this.#flush();
    const part = this.#parts.shift();
    this.#length -= part?.length ?? 0;
    return part;
  }

  clear(): void {
    this.#parts.length = 0;
    this.#joinedBytes = 0;
    this.#joined = Buffer.alloc(0);
    this.#length = 0;
  }

  #flush(): void {
    if (this.#joinedBytes === 0) return;
    this.#parts.push(Buffer.from(this.#joined.subarray(0, this.#joinedBytes)));
    this.#joinedBytes = 0;
  }
}
