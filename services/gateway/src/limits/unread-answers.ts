/**
 * Bounds the memory of answers that clients are slow to read: they are taken from the service at once, so that no slow client
 * holds one of its places. Beyond the bound, the account with the most unread bytes loses its oldest answer.
 */
import type { ServerResponse } from 'node:http';

interface Reader {
  bytes: number;
  /** Bytes of each, as last seen; the oldest first. */
  readonly answers: Map<ServerResponse, number>;
}

/** The answers that clients of this gateway have not read yet. */
export class UnreadAnswers {
  readonly #maxBytes: number;
  readonly #readers = new Map<string, Reader>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Notes what waits of an answer now, until all of it is read. @param holder the key's account, or the demo */
  keep(holder: string, response: ServerResponse): void {
    // Its `close` was emitted before: nothing would take it out again.
    if (response.destroyed) return;
    let reader = this.#readers.get(holder);
    if (reader === undefined) this.#readers.set(holder, (reader = { bytes: 0, answers: new Map() }));
    const before = reader.answers.get(response);
    if (before === undefined) response.once('close', () => this.#forget(holder, response));
    const more = response.writableLength - (before ?? 0);
    reader.answers.set(response, response.writableLength);
    reader.bytes += more;
    this.#bytes += more;
    while (this.#bytes > this.#maxBytes) this.#cutOne();
  }

  #cutOne(): void {
    let most: { readonly holder: string; readonly reader: Reader } | undefined;
    for (const [holder, reader] of this.#readers)
      if (most === undefined || reader.bytes > most.reader.bytes) most = { holder, reader };
    const [oldest] = most!.reader.answers.keys();
    this.#forget(most!.holder, oldest!);
    // Through the request: a pipelined answer has no socket of its own until its turn.
    oldest!.req.socket.destroy();
  }

  #forget(holder: string, response: ServerResponse): void {
    const reader = this.#readers.get(holder);
    const bytes = reader?.answers.get(response);
    if (reader === undefined || bytes === undefined) return;
    reader.answers.delete(response);
    reader.bytes -= bytes;
    this.#bytes -= bytes;
    if (reader.answers.size === 0) this.#readers.delete(holder);
  }
}
