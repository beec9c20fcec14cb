/** Actions of people in the portal, a function each. */
import { until } from '@hindsight/kernel/test/support/until.ts';
import { Wallet } from 'ethers';
import type { Page } from 'playwright-core';
import type { Installation } from './installation.ts';

const PASSWORD = 'correct horse battery staple';

let people = 0;

/** An unused email address. */
function newAddress(): string {
  people += 1;
  return `reader-${people}-${process.pid}@example.org`;
}

/** Signs up by address and password, and confirms by the link in the email. Ends on the dashboard. */
export async function signUp(page: Page, installation: Installation, email = newAddress()): Promise<string> {
  await beginSignUp(page, installation, email);
  if (installation.hasNoMailbox) await page.goto(await linkTo(installation, email));
  else await followMailbox(page, email);
  await page.getByRole('button', { name: 'Confirm email' }).click();
  await page.waitForURL('**/dashboard/projects/*');
  return email;
}

/** Signs up by address and password; the email is not read. */
export async function beginSignUp(
  page: Page,
  { portal }: Installation,
  email = newAddress(),
): Promise<string> {
  await page.goto(`${portal}/sign-up`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.waitForURL('**/verify');
  return email;
}

/** The link in the latest email to an address that has one of this kind. */
export async function linkTo(installation: Installation, email: string, kind = /./): Promise<string> {
  let link: string | undefined;
  await until(`an email to ${email}`, async () => {
    const links = (await installation.emailsTo(email)).map((text) => /https?:\/\/[^\s"<]+/.exec(text)?.[0]);
    link = links.filter((each) => each !== undefined && kind.test(each)).at(-1);
    return link !== undefined;
  });
  return link ?? '';
}

async function followMailbox(page: Page, email: string): Promise<void> {
  await page.getByRole('link', { name: 'development mailbox' }).first().click();
  await page.locator('article', { hasText: email }).first().getByRole('link').click();
}

/** Signs in by address and password. */
export async function signIn(page: Page, { portal }: Installation, email: string): Promise<void> {
  await page.goto(`${portal}/sign-in`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/dashboard/projects/*');
}

/** Presses Show, and reads the Project ID. */
export async function showKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByRole('button', { name: 'Hide', exact: true }).waitFor();
  return (await page.locator('[data-key-value]').innerText()).trim();
}

/** Rotates the Project ID; `grace` is an item of the list. */
export async function rotate(page: Page, grace: string): Promise<void> {
  await page.locator('summary', { hasText: 'Rotate' }).click();
  await page.getByLabel('Keep the current key for').selectOption({ label: grace });
  // The address is the same after a second rotation.
  const loaded = page.waitForEvent('load');
  await page.getByRole('button', { name: 'Rotate key' }).click();
  await loaded;
  await page.waitForURL('**done=rotated');
}

/** Waits until the dashboard shows `expected` as this month's usage. */
export async function untilUsed(page: Page, expected: string, withinMs = 600_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const used = await page.locator('[data-usage-used]').innerText();
    if (used === expected) return;
    if (Date.now() > deadline) throw new Error(`the dashboard says ${used}, not ${expected}`);
    await page.reload();
  }
}

/** Gives the browser a wallet (EIP-1193) with a new key that signs everything. */
export async function bringWallet(page: Page): Promise<string> {
  const wallet = Wallet.createRandom();
  await page.exposeFunction('walletAddress', () => wallet.address.toLowerCase());
  await page.exposeFunction('walletSigns', (hex: string) =>
    wallet.signMessage(Buffer.from(hex.slice(2), 'hex')),
  );
  await page.addInitScript(() => {
    const hands = globalThis as unknown as {
      walletAddress(): Promise<string>;
      walletSigns(message: string): Promise<string>;
      ethereum: unknown;
    };
    hands.ethereum = {
      request: async ({ method, params }: { method: string; params?: string[] }) => {
        if (method === 'eth_requestAccounts') return [await hands.walletAddress()];
        if (method === 'personal_sign') return hands.walletSigns(params?.[0] ?? '');
        throw Object.assign(new Error(`no ${method} here`), { code: 4200 });
      },
    };
  });
  return wallet.address;
}
