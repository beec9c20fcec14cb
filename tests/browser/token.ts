/** The page of a token at a date, on the dev chain. */
import { expect, it } from '@jest/globals';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { readParquet } from '../../services/holders/test/support/read-parquet.ts';
import { violationsOf } from '../support/browser/axe.ts';
import type { Installation } from '../support/browser/installation.ts';
import { eachWithReader } from '../support/browser/suite.ts';
import { holdersAt as ledgerHolders } from '../support/ledger-holders.ts';

const WITHIN_MS = 600_000;
const { ledger } = buildPlan();
const { usdc } = TOKENS;
const BLOCK = 18_000_000;

const holdersAt = (block: number): number => ledgerHolders(ledger, usdc.address, block).length;

/** Call it in a `describe`. */
export function describeToken(browser: () => Browser, running: () => Installation): void {
  const reader = eachWithReader(browser);

  it('is found in the list of tokens, and shows who held it, how many over time, and a link to it', async () => {
    const { page } = reader();
    await page.goto(`${running().portal}/token`);
    await page.locator('#list[data-state="known"]').waitFor({ timeout: WITHIN_MS });
    await page.getByLabel('Token: address, name or symbol').fill('usd');
    await page.getByRole('button', { name: 'Look up' }).click();
    await page.getByRole('link', { name: 'USD Coin (USDC)' }).click();
    await page.locator('#chart[data-state="known"]').waitFor({ timeout: WITHIN_MS });
    await page.goto(`${running().portal}/token?token=${usdc.address}&date=2023-08-26T16:21:35`);
    await page.locator('#chart[data-state="known"]').waitFor({ timeout: WITHIN_MS });
    expect(await page.locator('#whose').innerText()).toBe('USD Coin (USDC)');
    expect(await page.locator('#then').innerText()).toBe(
      'on 26 August 2023 at 16:21:35 UTC, block 18,000,000',
    );
    expect(await page.locator('[data-fact="Holders"]').innerText()).toBe(String(holdersAt(BLOCK)));
    expect(await page.locator('#largest tr').count()).toBe(holdersAt(BLOCK));
    const { alice } = HOLDERS;
    const whole = (ledger.balanceAt(usdc.address, alice, BLOCK) / 1_000_000n).toLocaleString('en-US');
    expect(await page.locator('#largest tr', { hasText: alice }).innerText()).toContain(whole);
    expect(await page.locator('#share').innerText()).toBe(
      `${running().portal}/token?token=${usdc.address}&block=${BLOCK}`,
    );
    expect(await page.locator('#chart canvas').count()).toBe(1);
    await page.locator('summary').click();
    const rows = (await page.locator('#rows tr').allInnerTexts()).map((row) => row.split('\t'));
    expect(rows).toHaveLength(12);
    for (const [block = '', , count = ''] of rows) {
      const height = Number(block.replaceAll(',', ''));
      const expected = height < usdc.since ? 'no such token' : String(holdersAt(height));
      expect([block, count]).toEqual([block, expected]);
    }
    expect(await violationsOf(page)).toEqual([]);
    await page.emulateMedia({ media: 'print' });
    const printed = ['.masthead', '#question', '#csv', '#call-0', '#statement', '#share'];
    const isVisible = await Promise.all(printed.map((part) => page.locator(part).isVisible()));
    expect(isVisible).toEqual([false, false, false, false, true, true]);
  });

  it('saves all holders as CSV and as Parquet', async () => {
    const { page } = reader();
    await page.goto(`${running().portal}/token?token=${usdc.address}&block=${BLOCK}`);
    await page.locator('#chart[data-state="known"]').waitFor({ timeout: WITHIN_MS });
    const saved = async (format: string): Promise<Buffer> => {
      const coming = page.waitForEvent('download', { timeout: WITHIN_MS });
      await page.getByRole('button', { name: `Download all as ${format}` }).click();
      const file = await coming;
      expect(file.suggestedFilename()).toBe(`holders-${usdc.address}-${BLOCK}.${format.toLowerCase()}`);
      return readFileSync(await file.path());
    };
    const lines = (await saved('CSV')).toString().trimEnd().split('\n');
    const { rows } = await readParquet(await saved('Parquet'));
    expect(await page.evaluate('document.activeElement.id')).toBe('parquet');
    expect(lines.slice(2, -1).map((line) => line.split(',').slice(0, 2))).toEqual(
      rows.map(([holder, amount]) => [holder, amount]),
    );
    expect(rows).toHaveLength(holdersAt(BLOCK));
    expect(await page.locator('#saved').innerText()).toBe('Saved.');
  });

  it('saves no half of a file, though a proxy ends it as a whole one', async () => {
    const { page } = reader();
    await page.goto(`${running().portal}/token?token=${usdc.address}&block=${BLOCK}`);
    await page.locator('#chart[data-state="known"]').waitFor({ timeout: WITHIN_MS });
    await page.route('**/token/holders/export?*', async (route) => {
      const response = await route.fetch();
      const { 'content-length': _length, ...headers } = response.headers();
      await route.fulfill({ response, headers, body: (await response.body()).subarray(0, -1) });
    });
    await page.getByRole('button', { name: 'Download all as Parquet' }).click();
    await page.locator('#saved', { hasText: /\.$/ }).waitFor({ timeout: WITHIN_MS });
    expect(await page.locator('#saved').innerText()).toBe(
      'The connection was lost before the end of the answer.',
    );
  });

  it('saves no file of two indexes', async () => {
    const { page } = reader();
    await page.goto(`${running().portal}/token?token=${usdc.address}&block=${BLOCK}`);
    await page.locator('#chart[data-state="known"]').waitFor({ timeout: WITHIN_MS });
    await page.route('**/token/holders?*block_hash=*', async (route) => {
      const isFirst = !route.request().url().includes('&after=');
      const response = await route.fetch({ url: `${route.request().url()}&limit=2` });
      const body = await response.text();
      await route.fulfill({
        response,
        body: isFirst ? body : body.replace(/"from_block":\d+/, '"from_block":17999999'),
      });
    });
    await page.getByRole('button', { name: 'Download all as CSV' }).click();
    await page.locator('#saved', { hasText: /\.$/ }).waitFor({ timeout: WITHIN_MS });
    expect(await page.locator('#saved').innerText()).toBe(
      'The index begins at another block by now: save the list again.',
    );
  });

  it('says what is wrong: no such contract, an id that is missing, a moment that cannot be read', async () => {
    const { page } = reader();
    const trouble = async (query: string): Promise<string> => {
      await page.goto(`${running().portal}/token?${query}`);
      await page.locator('#statement[data-state="absent"]').waitFor({ timeout: WITHIN_MS });
      return page.locator('#trouble').innerText();
    };
    expect(await trouble(`token=${HOLDERS.alice}&block=${BLOCK}`)).toContain('contract');
    expect(await page.locator('#indexing').isVisible()).toBe(false);
    expect(await trouble(`token=${TOKENS.items.address}&block=${BLOCK}`)).toContain('expected token_id');
    await page.goto(`${running().portal}/token?token=${usdc.address}&block=latest`);
    expect(await page.locator('#block-error').innerText()).toContain('expected a block number');
    expect(await page.locator('#statement').count()).toBe(0);
  });
}
