/** The portal while its store is unavailable. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { withUsualWaits } from '@hindsight/tools/servers/mongodb-database.ts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isSignedIn, signInWith, signUp } from '../support/people.ts';
import type { Place } from '../support/run-dashboard.ts';
import { runPortal, type RunningPortal } from '../support/run-portal.ts';

const BACK_WITHIN_MS = 600_000;

/** Forwards connections to a server, until they are cut. */
class Line {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #open = true;

  constructor(host: string, port: number) {
    this.#server = createServer((socket) => {
      const onward = connect(port, host);
      for (const end of [socket, onward]) {
        this.#sockets.add(end);
        end.on('error', () => end.destroy()).on('close', () => this.#sockets.delete(end));
      }
      socket.pipe(onward).pipe(socket);
      if (!this.#open) this.cut();
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((listening) => this.#server.listen(0, '127.0.0.1', listening));
    return (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    this.#open = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#open = true;
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}

/** @param address of MongoDB */
export function describeUnavailableStore(address: string, place: () => Place): void {
  let line: Line;
  let portal: RunningPortal;

  beforeAll(async () => {
    const there = new URL(address.replace(/^mongodb:/, 'http:'));
    line = new Line(there.hostname, Number(there.port || 27_017));
    const through = new URL(withUsualWaits(place().mongodbUrl ?? '').replace(/^mongodb:/, 'http:'));
    through.host = `127.0.0.1:${await line.listen()}`;
    // The driver must not find the server's own address and go around the line.
    through.searchParams.set('directConnection', 'true');
    through.searchParams.delete('replicaSet');
    const mongodbUrl = through.href.replace(/^http:/, 'mongodb:');
    portal = await runPortal({ dataDir: '/nowhere', mongodbUrl });
  });
  afterAll(async () => {
    line.mend();
    await portal.stop();
    line.close();
  });

  it('answers sign-ins and signed-in users with a timely error, and recovers afterwards', async () => {
    const { email, browser } = await signUp(portal);
    line.cut();
    for (const answer of await Promise.all([browser.get('/account'), signInWith(portal.browser(), email)])) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
      expect(await answer.text()).toMatch(/<h1>Temporarily unavailable<\/h1>/);
    }
    // Anyone can still read public pages, those with a session too.
    for (const reader of [portal.browser(), browser]) {
      const page = await reader.get('/status');
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Sign in')]);
    }
    line.mend();
    await until('the user is signed in again', () => isSignedIn(browser), BACK_WITHIN_MS, 100);
  });
}
