/**
 * Turns on the machine's network. A Docker engine adds and removes interfaces, and Chromium aborts its requests whenever
 * an address comes or goes (`net::ERR_NETWORK_CHANGED`), those to loopback too: a page then has no script. So suites with
 * an engine and suites with a browser do not run at the same time; those of one kind do.
 */
import { request, type ServerResponse } from 'node:http';

/** Who uses the network: any number of one kind at a time. */
export const NETWORK_USERS = ['engine', 'browser'] as const;
export type NetworkUser = (typeof NETWORK_USERS)[number];

/** Whose turn it is: in the order in which they asked. */
export class NetworkTurns {
  readonly #waiting: { readonly user: NetworkUser; readonly answer: ServerResponse }[] = [];
  #user: NetworkUser = 'browser';
  #holders = 0;

  /** Answers when the turn has come; it lasts until the client ends the connection. */
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

/** Waits for a turn. @param url of the turns of this kind @returns what ends the turn; the end of the process does as well */
export function takeTurn(url: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent: false }, (answer) => {
      // Ended by us, or by the process that offers turns.
      answer.on('error', () => undefined).resume();
      answer.socket.unref();
      resolve(() => asked.destroy());
    });
    asked.once('error', reject);
    asked.end();
  });
}
