/** Identities that are not linked by a shared address: the owner has removed them, or the account is full. */
import { describe, expect, it } from '@jest/globals';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { Wallet } from 'ethers';
import type { Browser } from '../support/browser.ts';
import { accountText, linkPath, linkWallet, signUp } from '../support/people.ts';
import { runPortalWithProviders } from '../support/portal-with-providers.ts';
import type { Place } from '../support/run-dashboard.ts';

export function describeRefusedIdentities(place: () => Place): void {
  const world = forAllTests(() => runPortalWithProviders(place()), 'stop');
  const portal = forAllTests(async () => world.portal);

  /** From now on both providers report this address as verified. */
  const be = (id: number, email: string): void => {
    const emails = [{ email, primary: true, verified: true }];
    world.github.user = { id, login: `user-${id}`, name: 'Mona', emails };
    world.google.user = { sub: `g-${id}`, email, email_verified: true, name: 'Mona', hd: 'example.org' };
  };
  const through = async (browser: Browser, path: string): Promise<URL> =>
    (await browser.follow(await browser.get(path))).url;
  /** Signs in at a provider in a new browser. Resolves to the text of the account page. */
  const signInAt = async (provider: string): Promise<{ browser: Browser; text: string }> => {
    const browser = portal.browser();
    await through(browser, `/sign-in/${provider}?next=/account`);
    return { browser, text: await accountText(browser) };
  };

  describe.each(['github', 'google'] as const)('%s', (provider) => {
    const loginOf = (id: number): string => (provider === 'github' ? `github:${id}` : `google:g-${id}`);

    it('once removed, opens the account again only after its owner has linked it', async () => {
      const { email, browser } = await signUp(portal);
      be(21, email);
      expect((await signInAt(provider)).text).toContain(`${email} , confirmed`);
      await browser.post('/account/unlink', { id: loginOf(21) });

      const stray = await signInAt(provider);
      expect(stray.text).toContain('None yet.');
      expect((await accountText(browser)).match(/Firefox on Linux/g)).toHaveLength(1);
      expect((await through(browser, await linkPath(browser, provider))).search).toBe('?done=others');
      await stray.browser.post('/account/delete', { confirm: 'delete' });

      expect((await through(browser, await linkPath(browser, provider))).search).toBe('?done=linked');
      expect((await signInAt(provider)).text).toContain(`${email} , confirmed`);
    });

    it('stays removed when its owner links another identity', async () => {
      const { email, browser } = await signUp(portal);
      be(22, email);
      await signInAt(provider);
      await browser.post('/account/unlink', { id: loginOf(22) });
      await linkWallet(browser, Wallet.createRandom());
      expect((await signInAt(provider)).text).toContain('None yet.');
    });
  });

  it('gets its own account if the one with its address is full', async () => {
    const { email, browser } = await signUp(portal);
    for (let i = 0; i < 20; i++) await linkWallet(browser, Wallet.createRandom());
    be(23, email);
    const { text } = await signInAt('github');
    expect(text).toContain('None yet.');
    expect(text).toContain('user-23');
    expect((await signInAt('github')).text.match(/Firefox on Linux/g)).toHaveLength(2);
  });

  it('gets its address if the account that had it was deleted', async () => {
    const { browser, email } = await signUp(portal);
    be(24, email);
    await signInAt('github');
    await browser.post('/account/unlink', { id: 'github:24' });
    await browser.post('/account/delete', { confirm: 'delete' });
    expect((await signInAt('github')).text).toContain(`${email} , confirmed`);
  });
}
