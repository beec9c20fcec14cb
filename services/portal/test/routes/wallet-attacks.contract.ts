/** Tampering with wallets' messages (EIP-4361), and with the redirect after signing in. */
import { describe, expect, it } from '@jest/globals';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { Wallet } from 'ethers';
import type { Browser } from '../support/browser.ts';
import { isSignedIn, messageFor, signInByWallet } from '../support/people.ts';
import type { Place } from '../support/run-dashboard.ts';
import { runPortal } from '../support/run-portal.ts';

export function describeWalletAttacks(place: () => Place): void {
  const portal = forAllTests(() => runPortal(place(), { trustProxy: ['127.0.0.1'] }), 'stop');
  const fresh = (): Browser => portal.browserElsewhere();

  it.each([
    ...['//evil.example', String.raw`/\evil.example`, String.raw`\\evil.example`, 'https://evil.example'],
    ...[
      '/a/..//evil.example',
      '/%2e%2e//evil.example',
      'javascript:alert(1)',
      '/\tevil',
      '/\n/evil.example',
      '',
    ],
    ...['https:evil.example', '///evil.example', '/./\\evil.example', 'evil.example', ' //evil.example'],
  ])('the redirect after signing in stays on this site: %j', async (next) => {
    const browser = fresh();
    const wallet = Wallet.createRandom();
    const signed = { message: await messageFor(browser, wallet.address) };
    const signature = await wallet.signMessage(signed.message);
    const done = await browser.postJson('/sign-in/wallet', { ...signed, signature, next });
    const { next: path } = (await done.json()) as { next: string };
    expect(new URL(path, portal.url).origin).toBe(portal.url);
    const there = await browser.get(`/sign-in?next=${encodeURIComponent(next)}`);
    expect(new URL(there.headers.get('location')!, portal.url).origin).toBe(portal.url);
  });

  describe('messages of wallets (EIP-4361)', () => {
    const wallet = Wallet.createRandom();
    const refused = async (change: (message: string) => string, browser = fresh()): Promise<number> =>
      (await signInByWallet(browser, wallet, change)).status;

    it.each<[string, (message: string) => string]>([
      ['for another site', (text) => text.replace(/^\S+/, 'evil.example')],
      ['with another site’s URI', (text) => text.replace(/URI: .*/, 'URI: https://evil.example')],
      ['for another chain', (text) => text.replace('Chain ID: 1', 'Chain ID: 5')],
      ['with an invented nonce', (text) => text.replace(/Nonce: \w+/, 'Nonce: 1234567890abcdef')],
      ['of another version', (text) => text.replace('Version: 1', 'Version: 2')],
      ['from the past', (text) => text.replace(/Issued At: \d{4}/, 'Issued At: 2020')],
      ['from the future', (text) => text.replace(/Issued At: \d{4}/, 'Issued At: 2100')],
      ['that has expired', (text) => text.replace(/Expiration Time: \d{4}/, 'Expiration Time: 2020')],
      ['not valid yet', (text) => `${text}\nNot Before: 2100-01-01T00:00:00Z`],
      ['for another address', (text) => text.replace(wallet.address, Wallet.createRandom().address)],
      ['with words around it', (text) => `${text}\n\nAnd I give you everything.`],
      ['without a date', (text) => text.replace(/\nIssued At: .*/, '')],
    ])('%s are refused', async (_words, change) => {
      expect(await refused(change)).toBe(422);
    });

    it('work once', async () => {
      const browser = fresh();
      const message = await messageFor(browser, wallet.address);
      const signature = await wallet.signMessage(message);
      expect((await browser.postJson('/sign-in/wallet', { message, signature })).status).toBe(200);
      expect((await browser.postJson('/sign-in/wallet', { message, signature })).status).toBe(422);
    });

    it('work only in the browser that they were made for, and in time', async () => {
      const [browser, thief] = [fresh(), fresh()];
      await messageFor(thief, wallet.address);
      const message = await messageFor(browser, wallet.address);
      const signature = await wallet.signMessage(message);
      expect((await thief.postJson('/sign-in/wallet', { message, signature })).status).toBe(422);
      const late = await messageFor(browser, wallet.address);
      portal.clock.time += 11 * 60_000;
      const body = { message: late, signature: await wallet.signMessage(late) };
      expect((await browser.postJson('/sign-in/wallet', body)).status).toBe(422);
    });

    it('need the signature of the address that they name', async () => {
      const browser = fresh();
      const message = await messageFor(browser, wallet.address);
      const signature = await Wallet.createRandom().signMessage(message);
      expect((await browser.postJson('/sign-in/wallet', { message, signature })).status).toBe(422);
      for (const nonsense of ['', '0x', '0x00', `0x${'ff'.repeat(65)}`, `0x${'00'.repeat(5_000)}`, 'x']) {
        const again = await messageFor(browser, wallet.address);
        const answer = await browser.postJson('/sign-in/wallet', { message: again, signature: nonsense });
        expect(answer.status).toBe(422);
      }
      expect(await isSignedIn(browser)).toBe(false);
    });
  });
}
