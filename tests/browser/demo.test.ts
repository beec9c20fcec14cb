/** The demo page on the dev chain: live answers, drawn. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { violationsOf } from '../support/browser/axe.ts';
import { startEmbedded, type Installation } from '../support/browser/installation.ts';
import { describeInBrowser } from '../support/browser/suite.ts';
import { openReader, type Reader } from '../support/browser/visit.ts';

const WITHIN_MS = 90_000;
const { ledger } = buildPlan();
/** Few blocks, in which trent's WETH changes once: at 18,000,035. */
const NARROW = `/demo?token=WETH&holder=${HOLDERS.trent}&from=18000030&to=18000038&block=18000034`;

describeInBrowser('The demo', process.env, (browser) => {
  let installation: Installation;
  let reader: Reader;

  beforeAll(async () => {
    installation = await startEmbedded();
  }, WITHIN_MS);
  afterAll(() => installation.stop());
  beforeEach(async () => {
    reader = await openReader(browser(), { permissions: ['clipboard-read', 'clipboard-write'] });
  });
  afterEach(async () => {
    const { foreign, errors, context } = reader;
    await context.close();
    expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });
  });

  const state = (wanted: string) =>
    reader.page.locator(`#progress[data-state="${wanted}"]`).waitFor({ timeout: WITHIN_MS });
  const answer = () => reader.page.locator('#answer-amount').innerText();
  const wethOf = (block: number) => {
    const digits = ledger.balanceAt(TOKENS.weth.address, HOLDERS.trent, block).toString();
    return `${digits.slice(0, -18)}.${digits.slice(-18)}`;
  };

  it(
    'opens with a balance that moves, answers for the block under the red line, and stops when told to',
    async () => {
      const { page } = reader;
      await page.goto(`${installation.portal}/demo`);
      await page.locator('#answer[data-state="known"]').waitFor();
      expect(await answer()).toBe(wethOf(18_000_000));
      expect(await page.locator('#chart canvas').count()).toBe(1);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await state('cancelled');
      const asked = await page.locator('#rows tr').count();
      expect(asked).toBeLessThan(30);
      expect(await page.locator('#progress-text').innerText()).toBe(`Cancelled after ${asked} answers.`);
      expect(await page.getByRole('link', { name: 'treasury.eth, a name that moves' }).count()).toBe(1);
      expect(await violationsOf(page)).toEqual([]);
    },
    WITHIN_MS,
  );

  it(
    'finds a change to the block, and says every number of the picture as a table',
    async () => {
      const { page } = reader;
      await page.goto(installation.portal + NARROW);
      await state('done');
      expect(await page.locator('#progress-text').innerText()).toContain('1 change found to the block');
      await page.locator('summary').click();
      const rows = await page.locator('#rows tr').allInnerTexts();
      for (const row of rows) {
        const [block = '', , balance] = row.split('\t');
        expect(balance).toBe(wethOf(Number(block.replaceAll(',', ''))));
      }
      expect(rows.some((row) => row.startsWith('18,000,034'))).toBe(true);
      expect(rows.some((row) => row.startsWith('18,000,035'))).toBe(true);
    },
    WITHIN_MS,
  );

  it(
    'is worked by keys: the slider, the block, the date; its address can be shared, its call copied',
    async () => {
      const { page } = reader;
      await page.goto(installation.portal + NARROW);
      await page.locator('#answer[data-state="known"]').waitFor();
      await page.getByLabel('The block under the red line').focus();
      await page.keyboard.press('ArrowRight');
      await page.waitForURL('**block=18000035**');
      expect(await answer()).toBe(wethOf(18_000_035));
      await page.getByLabel('or at a date (UTC)').fill('2023-08-26T16:28:07');
      await page.waitForURL((url) => !/block=1800003[45]/.test(url.search));
      const block = Number(new URL(page.url()).searchParams.get('block'));
      expect(await answer()).toBe(wethOf(block));
      await page.getByRole('button', { name: 'Copy' }).first().click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      const line = await page.evaluate<string>('navigator.clipboard.readText()');
      const [, key = '', url = ''] = /^curl -H 'x-api-key: (\S+)' '(\S+)'$/.exec(line) ?? [];
      const called = (await (await fetch(url, { headers: { 'x-api-key': key } })).json()) as {
        balance: string;
      };
      const shown = JSON.parse(await page.locator('#json').innerText()) as { balance: string };
      expect(called.balance).toBe(shown.balance);
    },
    WITHIN_MS,
  );

  it(
    'keeps the red line above the slider, however wide the page becomes',
    async () => {
      const { page } = reader;
      await page.goto(installation.portal + NARROW);
      await state('done');
      for (const width of [1280, 360, 900]) {
        await page.setViewportSize({ width, height: 800 });
        await page.waitForFunction(
          `(() => {
            const line = document.querySelector('.then-line').getBoundingClientRect();
            const slider = document.querySelector('#slider').getBoundingClientRect();
            const thumb = slider.left + 10 + ((slider.width - 20) * 4) / 8;
            return Math.abs(line.left + line.width / 2 - thumb) < 2;
          })()`,
        );
      }
    },
    WITHIN_MS,
  );

  it(
    'says what was wrong with a question, and when others use up the demo key’s second',
    async () => {
      const { page } = reader;
      await page.goto(installation.portal + NARROW);
      await page.locator('#answer[data-state="known"]').waitFor();
      await page.getByLabel('Wallet or name').fill('0x1234');
      await page.getByRole('button', { name: 'Draw', exact: true }).click();
      await page.locator('#trouble').waitFor();
      expect(await page.locator('#trouble').innerText()).toContain('holder');
      expect(await violationsOf(page)).toEqual([]);
      await page.getByLabel('Wallet or name').fill(HOLDERS.trent);
      await page.getByRole('button', { name: 'Draw', exact: true }).click();
      const crowd = new AbortController();
      const crowded = useUp(installation, crowd.signal);
      await state('waiting');
      expect(await page.locator('#progress-text').innerText()).toContain('busy');
      crowd.abort();
      await crowded;
      await state('done');
    },
    WITHIN_MS,
  );
});

/** Spends what the demo key gives this address, until told to stop. */
async function useUp({ api, demoKey }: Installation, signal: AbortSignal): Promise<void> {
  const url = `${api}/v1/eth-mainnet/balance/native?holder=${HOLDERS.alice}&block_height=18000000`;
  while (!signal.aborted) await (await fetch(url, { headers: { 'x-api-key': demoKey } })).text();
}
