/** The API explorer's page, which is Scalar's for the most part. */
import type { Page } from 'playwright-core';
import { untilTrue } from './visit.ts';

/** The names of the groups of endpoints. */
export const GROUPS = ['Balances', 'Allowances', 'Blocks', 'Tokens', 'Orders', 'Usage'];

/** Number of scrolls before the usual wait. */
const SCROLLS = 200;

/** Waits until the reference is complete: its parts appear one after the other. */
export async function untilReferenceStands(page: Page, words: readonly string[] = GROUPS): Promise<void> {
  const reference = page.locator('#reference');
  for (const each of words) await reference.getByText(each).first().waitFor({ state: 'attached' });
  // Operations are rendered as they come near the viewport: on a phone that is below the introduction.
  const tryIt = page.getByRole('button', { name: /Test Request/ }).first();
  for (let i = 0; i < SCROLLS && (await tryIt.count()) === 0; i++) {
    await page.mouse.wheel(0, 300);
    await page.waitForTimeout(50);
  }
  await tryIt.waitFor({ state: 'attached' });
  await untilTrue(page, "document.getAnimations().every(({ playState }) => playState !== 'running')");
}
