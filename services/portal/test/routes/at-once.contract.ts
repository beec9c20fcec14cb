/** Concurrent requests: single-use things work once, and limits hold. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Wallet } from 'ethers';
import {
  accountText,
  isSignedIn,
  messageFor,
  newEmail,
  PASSWORD,
  signInWith,
  signUp,
  tokenOf,
} from '../support/people.ts';
import type { Place } from '../support/run-dashboard.ts';
import { runPortal, type RunningPortal } from '../support/run-portal.ts';

const times = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));

/** Two portals on one store, as behind a load balancer. */
export function describeAtOnce(place: () => Place): void {
  let portals: [RunningPortal, RunningPortal];

  beforeAll(async () => {
    portals = [await runPortal(place()), await runPortal(place())];
  });
  afterAll(async () => {
    for (const portal of portals) await portal.stop();
  });
  const either = (i: number): RunningPortal => portals[i % 2]!;

  it('a confirmation link creates one account', async () => {
    const [email, browser] = [newEmail(), either(0).browser()];
    await browser.post('/sign-up', { email, password: PASSWORD, next: '/account' });
    const token = tokenOf(await either(0).linkTo(email));
    const form = { token, password: PASSWORD };
    const answers = await times(6, async (i) => either(i).browser().post('/verify', form));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 410, 410, 410, 410, 410]);
  });

  it('a reset link works once', async () => {
    const { email } = await signUp(either(0));
    await either(0).browser().post('/forgot', { email });
    const token = tokenOf(await either(0).linkTo(email, 2));
    const answers = await times(6, (i) =>
      either(i)
        .browser()
        .post('/reset', { token, password: `some other words ${i}` }),
    );
    const right = answers.findIndex(({ status }) => status === 303);
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    const statuses = await times(6, (i) => signInWith(either(i).browser(), email, `some other words ${i}`));
    expect(statuses.map(({ status }) => status)).toEqual(statuses.map((_, i) => (i === right ? 303 : 422)));
  });

  it('a new wallet that signs in from many browsers gets one account', async () => {
    const wallet = Wallet.createRandom();
    const browsers = await times(6, async (i) => {
      const browser = either(i).browser();
      const message = await messageFor(browser, wallet.address);
      return { browser, body: { message, signature: await wallet.signMessage(message) } };
    });
    await Promise.all(browsers.map(({ browser, body }) => browser.postJson('/sign-in/wallet', body)));
    for (const { browser } of browsers) expect(await isSignedIn(browser)).toBe(true);
    expect((await accountText(browsers[0]!.browser)).match(/Firefox on Linux/g)).toHaveLength(6);
  });

  it('a signed wallet message works once', async () => {
    const [wallet, browser] = [Wallet.createRandom(), either(0).browser()];
    const message = await messageFor(browser, wallet.address);
    const body = { message, signature: await wallet.signMessage(message) };
    const answers = await times(6, () => browser.postJson('/sign-in/wallet', body));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422, 422, 422]);
  });

  it('guesses are limited over both portals together', async () => {
    const { email } = await signUp(either(0));
    const answers = await times(16, (i) => signInWith(either(i).browser(), email, 'not the right words'));
    expect(answers.filter(({ status }) => status === 422).length).toBeLessThanOrEqual(8);
    expect((await signInWith(either(1).browser(), email)).status).toBe(429);
  });

  it('signing out everywhere takes effect on the other portal at once', async () => {
    const { email, browser } = await signUp(either(0));
    const there = either(1).browser();
    await signInWith(there, email);
    expect(await isSignedIn(there)).toBe(true);
    await browser.post('/account/sessions/end-all');
    expect(await isSignedIn(there)).toBe(false);
  });
}
