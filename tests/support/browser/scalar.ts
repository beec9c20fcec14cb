/** The API explorer's page, which is Scalar's for the most part. */
import type { Page, Response } from 'playwright-core';
import { untilTrue } from './visit.ts';

/** The names of the groups of endpoints. */
export const GROUPS = ['Balances', 'Allowances', 'Blocks', 'Tokens', 'Orders', 'Usage'];

/** For all of its parts, on a busy machine. */
const STANDS_WITHIN_MS = 600_000;
const ANSWERED_WITHIN_MS = 600_000;

/** Waits until the reference is complete: its parts appear one after the other. */
export async function untilReferenceStands(page: Page, words: readonly string[] = GROUPS): Promise<void> {
  const reference = page.locator('#reference');
  for (const each of words) await reference.getByText(each).first().waitFor({ state: 'attached' });
  // Operations are rendered as they come near the viewport: on a phone that is below the introduction.
  const tryIt = page.getByRole('button', { name: /Test Request/ }).first();
  for (const end = Date.now() + STANDS_WITHIN_MS; (await tryIt.count()) === 0 && Date.now() < end;) {
    await page.mouse.wheel(0, 300);
    await page.waitForTimeout(50);
  }
  await tryIt.waitFor({ state: 'attached' });
  await untilTrue(page, "document.getAnimations().every(({ playState }) => playState !== 'running')");
}

/** Opens the explorer's dialog, and sends the request in it; again if a busy machine's node missed its deadline. */
export async function sendRequest(page: Page): Promise<Response> {
  await page
    .getByRole('button', { name: /Test Request/ })
    .first()
    .click();
  for (const end = Date.now() + ANSWERED_WITHIN_MS; ;) {
    const answered = page.waitForResponse((response) => response.url().includes('/v1/'));
    await page.getByRole('button', { name: /^Send/ }).first().click();
    const response = await answered;
    const status = response.status();
    if (status === 200) return response;
    if (Date.now() > end) throw new Error(`the explorer's request was answered with ${status}`);
    process.stderr.write(`the explorer's request was answered with ${status}\n`);
  }
}
