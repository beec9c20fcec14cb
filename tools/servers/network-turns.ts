/**
 * A lock on the machine's network, shared by suites of one kind. A Docker engine adds and removes interfaces, and Chromium
 * aborts its open requests whenever an address comes or goes (`net::ERR_NETWORK_CHANGED`), even those to loopback: a page
 * may be left without its script. So suites with an engine and suites with a browser take turns.
 */
import { request, type ServerResponse } from 'node:http';

/** Users of the network: any number of one kind at a time. */
export const NETWORK_USERS = ['engine', 'browser'] as const;
export type NetworkUser = (typeof NETWORK_USERS)[number];

/** Grants turns in the order of the requests. */
export class NetworkTurns {
  readonly #waiting: { readonly user: NetworkUser; readonly answer: ServerResponse }[] = [];
  #user: NetworkUser = 'browser';
  #holders = 0;

  /** Answers when the turn begins; it lasts until the client closes the connection. */
  take(user: NetworkUser, answer: ServerResponse): void {
    this.#waiting.push({ user, answer });
    this.#grant();
  }

  #grant(): void {
    for (;;) {
      const next = this.#waiting[0];
      if (next === undefined || (this.#holders > 0 && next.user !== this.#user)) return;
      this.#waiting.shift();
      if (next.answer.destroyed) continue;
      this.#user = next.user;
      this.#holders += 1;
      next.answer.once('close', () => {
        this.#holders -= 1;
        this.#grant();
      });
      next.answer.socket?.unref();
      next.answer.writeHead(200).flushHeaders();
    }
  }
}

/**
 * Waits for a turn. @param url of the turns of this kind @returns a function that ends the turn; the end of
 * the process ends it too
 */
export function takeTurn(url: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent: false }, (answer) => {
      // Closed by this process, or by the one that grants turns.
      answer.on('error', () => undefined).resume();
      answer.socket.unref();
      resolve(() => asked.destroy());
    });
    asked.once('error', reject);
    asked.end();
  });
}
