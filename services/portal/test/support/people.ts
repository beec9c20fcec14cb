/** Steps that tests of accounts begin with. */
import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { Browser } from './browser.ts';
import type { RunningPortal } from './run-portal.ts';

/** Signs messages for a wallet (EIP-191). */
export interface Signer {
  /** EIP-55. */
  readonly address: string;
  signMessage(message: string): Promise<string>;
}

/** A good password. */
export const PASSWORD = 'a few unrelated words';

/** A fresh, unused address. */
export function newEmail(): string {
  return `${randomUUID()}@example.org`;
}

/** Signs a user up and confirms their address. */
export async function signUp(
  portal: RunningPortal,
  email = newEmail(),
): Promise<{ email: string; browser: Browser }> {
  const browser = portal.browser();
  await browser.post('/sign-up', { email, password: PASSWORD, next: '/account' });
  const token = tokenOf(await portal.linkTo(email));
  const confirmed = await browser.post('/verify', { token });
  expect(confirmed.headers.get('location')).toBe('/account');
  return { email, browser };
}

/** The secret of a link. */
export function tokenOf(link: string): string {
  return new URL(link).searchParams.get('token') ?? '';
}

/** True if a browser is signed in. */
export async function isSignedIn(browser: Browser): Promise<boolean> {
  return (await browser.get('/account')).status === 200;
}

/** Signs in by address and password. */
export function signInWith(browser: Browser, email: string, password = PASSWORD): Promise<Response> {
  return browser.post('/sign-in', { email, password, next: '/account' });
}

/** Signs in with a wallet. `change` may tamper with the message before it is signed. */
export async function signInByWallet(
  browser: Browser,
  wallet: Signer,
  change: (message: string) => string = (message) => message,
): Promise<Response> {
  const message = change(await messageFor(browser, wallet.address));
  const signature = await wallet.signMessage(message);
  return browser.postJson('/sign-in/wallet', { message, signature, next: '/account' });
}

/** Links a wallet to the account of the signed-in user. */
export async function linkWallet(browser: Browser, wallet: Signer, account?: string): Promise<Response> {
  const message = await messageFor(browser, wallet.address);
  const signature = await wallet.signMessage(message);
  return browser.postJson('/account/link/wallet', { message, signature, account });
}

/** The path by which the account page links a provider. */
export async function linkPath(browser: Browser, provider: string): Promise<string> {
  const page = await (await browser.get('/account')).text();
  return new RegExp(`href="(/account/link/${provider}\\?account=[^"]+)"`).exec(page)?.[1] ?? '';
}

/** The message that the portal gives a wallet to sign. */
export async function messageFor(browser: Browser, address: string): Promise<string> {
  const asked = await browser.postJson('/sign-in/wallet/message', { address });
  return ((await asked.json()) as { message: string }).message;
}

/** The text of the account page, without markup. */
export async function accountText(browser: Browser): Promise<string> {
  return (await (await browser.get('/account')).text()).replaceAll(/<[^<>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}
