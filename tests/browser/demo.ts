/** The demo page on the dev chain: live answers, drawn. */
import { expect, it } from '@jest/globals';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import type { Browser } from 'playwright-core';
import { setTimeout as sleep } from 'node:timers/promises';
import { violationsOf } from '../support/browser/axe.ts';
import type { Installation } from '../support/browser/installation.ts';
import { eachWithReader } from '../support/browser/suite.ts';
import { untilTrue, type Reader } from '../support/browser/visit.ts';

const WITHIN_MS = 600_000;
const ANSWERED_WITHIN_MS = WITHIN_MS - 20_000;
const { ledger } = buildPlan();
/** Few blocks, in which trent's WETH changes once: at 18,000,035. */
const NARROW = `/demo?token=WETH&holder=${HOLDERS.trent}&from=18000030&to=18000038&block=18000034`;

/** Call it in a `describe`. Its last test uses up the rate of the demo key. */
export function describeDemo(browser: () => Browser, running: () => Installation): void {
  const reader = eachWithReader(browser, { permissions: ['clipboard-read', 'clipboard-write'] });

  const state = (wanted: string) =>
    reader().page.locator(`#progress[data-state="${wanted}"]`).waitFor({ timeout: WITHIN_MS });
  const answer = () => reader().page.locator('#answer-amount').innerText();
  /** Opens the demo with its answer; again if a busy machine's node missed its deadline. */
  const openAnswered = async (path: string): Promise<void> => {
    const { page } = reader();
    for (const end = Date.now() + ANSWERED_WITHIN_MS; ;) {
      await page.goto(running().portal + path);
      const answered = page.locator('#answer:not([data-state="asking"])');
      await answered.waitFor({ timeout: WITHIN_MS });
      if ((await answered.getAttribute('data-state')) === 'known') return;
      const shown = `${await answered.innerText()} ${await page.locator('#progress-text').innerText()}`;
      if (Date.now() > end) throw new Error(`the demo has no answer: ${shown}`);
      process.stderr.write(`the demo had no answer: ${shown}\n`);
    }
  };
  const wethOf = (block: number) => {
    const digits = ledger.balanceAt(TOKENS.weth.address, HOLDERS.trent, block).toString();
    return `${digits.slice(0, -18)}.${digits.slice(-18)}`;
  };

  it('opens with a moving balance, answers for the block under the red line, and stops on request', async () => {
    const { page } = reader();
    const release = await holdBack(page, '/balance/series');
    await openAnswered('/demo');
    expect(await answer()).toBe(wethOf(18_000_000));
    expect(await page.locator('#chart canvas').count()).toBe(1);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await state('cancelled');
    expect(await page.locator('#progress-text').innerText()).toBe('Cancelled.');
    expect(await page.locator('#rows tr').count()).toBe(0);
    await release();
    await page.getByRole('button', { name: 'Draw again' }).click();
    await state('done');
    expect(await page.locator('#rows tr').count()).toBe(120);
    expect(await page.locator('#progress-text').innerText()).toMatch(
      /^120 points from one call, \d+ balance changes/,
    );
    expect(await page.getByRole('link', { name: 'treasury.eth, a name that moves' }).count()).toBe(1);
    expect(await violationsOf(page)).toEqual([]);
  });

  it('says in the words of the API why there is nothing to draw, and shows nothing of an earlier picture', async () => {
    const { page } = reader();
    await openAnswered(NARROW);
    await page.locator('#rows tr').nth(8).waitFor({ state: 'attached', timeout: WITHIN_MS });
    await page.getByLabel('Wallet or name').fill('nobody-has-this-name.eth');
    await page.getByRole('button', { name: 'Draw', exact: true }).click();
    await page.locator('#progress-text', { hasText: 'Nothing to draw.' }).waitFor({ timeout: WITHIN_MS });
    expect(await page.locator('#trouble').innerText()).toContain('nobody-has-this-name.eth');
    expect(await page.locator('#rows tr').count()).toBe(0);
  });

  it('shows a wallet at a date: what it held and who could spend it, pinned to a block, and with a link to it', async () => {
    const { page } = reader();
    const known = () => page.locator('#statement[data-state="known"]').waitFor({ timeout: WITHIN_MS });
    const headers = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after' };
    const busy = { status: 429, headers: { ...headers, 'retry-after': '1' }, json: {} };
    await page.route('**/allowance/list?*', (route) => route.fulfill(busy), { times: 1 });
    await page.goto(`${running().portal}/wallet?holder=alice.eth&date=2023-08-26T16:21:35`);
    await page.locator('#then', { hasText: 'The shared demo key is busy.' }).waitFor();
    await known();
    const usdc = ledger.balanceAt(TOKENS.usdc.address, HOLDERS.alice, 18_000_000);
    const whole = (usdc / 1_000_000n).toLocaleString('en-US');
    expect(await page.locator('#held tr', { hasText: 'USD Coin' }).innerText()).toContain(whole);
    expect(await page.locator('#held').innerText()).toContain('ETH');
    expect(await page.locator('#open tr').count()).toBeGreaterThan(0);
    const holders = page.locator('#held tr', { hasText: 'USD Coin' }).getByRole('link');
    expect(await holders.getAttribute('href')).toBe(`/token?token=${TOKENS.usdc.address}&block=18000000`);
    expect(await page.locator('#then').innerText()).toBe(
      'on 26 August 2023 at 16:21:35 UTC, block 18,000,000',
    );
    expect(await page.locator('[data-fact="Block hash"]').innerText()).toMatch(/^0x[\da-f]{64}$/);
    const shared = await page.locator('#share').innerText();
    expect(shared).toBe(`${running().portal}/wallet?holder=alice.eth&block=18000000`);
    await page.waitForURL(shared);
    const held = await page.locator('#held').innerText();
    await page.goto(shared);
    await known();
    expect(await page.locator('#held').innerText()).toBe(held);
    expect(await violationsOf(page)).toEqual([]);
    await page.emulateMedia({ media: 'print' });
    const printed = ['.masthead', '#question', '#call-0', '.colophon', '#statement', '#share'];
    const isVisible = await Promise.all(printed.map((part) => page.locator(part).isVisible()));
    expect(isVisible).toEqual([false, false, false, false, true, true]);
    await page.emulateMedia({ media: 'screen' });
    await page.getByLabel('Wallet or name').fill('nobody-has-this-name.eth');
    await page.getByRole('button', { name: 'Look' }).click();
    await page.locator('#statement[data-state="absent"]').waitFor();
    expect(await page.locator('#trouble').innerText()).toContain('nobody-has-this-name.eth');
  });

  it('shows a wallet over a period: each asset from one balance to the other, pinned to two blocks, and printable', async () => {
    const { page } = reader();
    await page.goto(`${running().portal}/wallet/period`);
    const known = () => page.locator('#statement[data-state="known"]').waitFor({ timeout: WITHIN_MS });
    await known();
    const groups = page.locator('.statement tbody');
    const amounts = await Promise.all([0, 1].map((i) => groups.nth(i).locator('td').allInnerTexts()));
    expect(await groups.count()).toBe(2);
    expect(await groups.nth(1).innerText()).toContain(TOKENS.mkr.address);
    // As the ledger of the development chain has it: 40 MKR at the beginning, 45 at the end.
    expect([amounts[0]?.[0], amounts[0]?.at(-1)]).toEqual(['5', '8.75']);
    expect([amounts[1]?.[0], amounts[1]?.[3], amounts[1]?.at(-1)]).toEqual(['40', '0', '45']);
    for (const own of amounts) expect(closingOf(own)).toBe(own.at(-1));
    expect(await page.locator('#then').innerText()).toBe(
      'from 31 December 2021 at 15:50:35 UTC to 31 December 2022 at 15:50:35 UTC',
    );
    for (const end of ['Opening', 'Closing'])
      expect(await page.locator(`[data-fact="${end} block hash"]`).innerText()).toMatch(/^0x[\da-f]{64}$/);
    const shared = await page.locator('#share').innerText();
    expect(shared).toMatch(/\/wallet\/period\?holder=0x[\dA-Fa-f]{40}&from=\d+&to=\d+$/);
    expect(await violationsOf(page)).toEqual([]);
    const shown = await page.locator('#statement').innerText();
    await page.goto(shared);
    await known();
    expect(await page.locator('#statement').innerText()).toBe(shown);
    await page.emulateMedia({ media: 'print' });
    const printed = ['.masthead', '#question', '#call-0', '.colophon', '#statement', '#share'];
    const isVisible = await Promise.all(printed.map((part) => page.locator(part).isVisible()));
    expect(isVisible).toEqual([false, false, false, false, true, true]);
    await page.emulateMedia({ media: 'screen' });
    await page.goto(`${running().portal}/wallet/period?holder=treasury.eth&from=17999990&to=18000010`);
    await page.locator('#statement[data-state="absent"]').waitFor();
    expect(await page.locator('#trouble').innerText()).toContain('treasury.eth');
  });

  it('finds the exact block of a change, and has every number of the picture in a table', async () => {
    const { page } = reader();
    await page.goto(running().portal + NARROW);
    await state('done');
    expect(await page.locator('#progress-text').innerText()).toContain(
      '1 balance change located to the exact block',
    );
    await page.locator('summary').click();
    const rows = await page.locator('#rows tr').allInnerTexts();
    for (const row of rows) {
      const [block = '', , balance] = row.split('\t');
      expect(balance).toBe(wethOf(Number(block.replaceAll(',', ''))));
    }
    expect(rows.some((row) => row.startsWith('18,000,034'))).toBe(true);
    expect(rows.some((row) => row.startsWith('18,000,035'))).toBe(true);
  });

  it('can be used by keyboard: the slider, the block, the date; its address can be shared, its call copied', async () => {
    const { page } = reader();
    await openAnswered(NARROW);
    await page.getByLabel('Selected block', { exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    // At once, whatever the answer will be: a screen reader says its value.
    const said = '[document.activeElement.value, document.activeElement.ariaValueText]';
    expect(await page.evaluate(said)).toEqual(['18000035', null]);
    await page.waitForURL('**block=18000035**');
    expect(await answer()).toBe(wethOf(18_000_035));
    await page.getByLabel('or at a date (UTC)').fill('2023-08-26T16:28:07');
    await page.waitForURL((url) => !/block=1800003[45]/.test(url.search));
    const block = Number(new URL(page.url()).searchParams.get('block'));
    expect(await answer()).toBe(wethOf(block));
    // The message shows only for a moment, which polling may miss.
    await page.evaluate<unknown>(`new MutationObserver((changes) => {
        window.saidCopied ||= changes.some(({ target }) => target.textContent === 'Copied');
      }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await untilTrue(page, 'window.saidCopied === true');
    const line = await page.evaluate<string>('navigator.clipboard.readText()');
    const [, key = '', url = ''] = /^curl -H 'x-api-key: (\S+)' '(\S+)'$/.exec(line) ?? [];
    const called = (await (await untilAllowed(url, key)).json()) as { balance: string };
    const shown = JSON.parse(await page.locator('#json').innerText()) as { balance: string };
    expect(called.balance).toBe(shown.balance);
  });

  it('shows a token’s markup as text everywhere on the page', async () => {
    const { page } = reader();
    const { address, name, symbol } = TOKENS.script;
    const few = 'from=18000030&to=18000032&block=18000031';
    await openAnswered(`/demo?token=${address}&holder=${HOLDERS.alice}&${few}`);
    await state('done');
    expect(await page.locator('#answer-symbol').textContent()).toBe(symbol);
    const shown = JSON.parse((await page.locator('#json').textContent()) ?? '') as object;
    expect(shown).toMatchObject({ token_name: name, token_symbol: symbol });
    for (const id of ['answer-symbol', 'json', 'curl', 'progress-text', 'trouble'])
      expect([id, await page.locator(`#${id} *`).count()]).toEqual([id, 0]);
    // Nor anywhere else: the page itself has no such elements.
    expect(await page.locator('b, script:not([src])').count()).toBe(0);
  });

  it('keeps the red line above the slider at every width of the page', async () => {
    const { page } = reader();
    await page.goto(running().portal + NARROW);
    await state('done');
    for (const width of [1280, 360, 900]) {
      await page.setViewportSize({ width, height: 800 });
      await untilTrue(
        page,
        `(() => {
            const line = document.querySelector('.then-line').getBoundingClientRect();
            const slider = document.querySelector('#slider').getBoundingClientRect();
            const thumb = slider.left + 10 + ((slider.width - 20) * 4) / 8;
            return Math.abs(line.left + line.width / 2 - thumb) < 2;
          })()`,
      );
    }
  });

  it('reports what was wrong with a question, and that others have used up the demo key’s rate', async () => {
    const { page } = reader();
    // A page whose requests are routed caches no answer, so each question is sent.
    await page.route('**/v1/**', (route) => route.continue());
    await openAnswered(NARROW);
    await page.getByLabel('Wallet or name').fill('0x1234');
    await page.getByRole('button', { name: 'Draw', exact: true }).click();
    await page.locator('#trouble').waitFor();
    expect(await page.locator('#trouble').innerText()).toContain('holder');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('Wallet or name').fill(HOLDERS.trent);
    const crowd = await gather(running());
    await page.evaluate<unknown>(`new MutationObserver(([{ target }]) => {
        const words = document.querySelector('#progress-text').textContent;
        window.waited ||= target.dataset.state === 'waiting' && words.includes('busy');
      }).observe(document.querySelector('#progress'), { attributes: true })`);
    // A question comes through now and then, between those of the others.
    do {
      await page.getByRole('button', { name: 'Draw', exact: true }).click();
      await untilTrue(page, "window.waited || document.querySelector('#progress').dataset.state === 'done'");
    } while (!(await page.evaluate<boolean>('window.waited === true')));
    await crowd.leave();
    await state('done');
  });
}

/** Asks with the demo key, whose rate the page may have used up a moment ago. */
async function untilAllowed(url: string, key: string): Promise<Response> {
  for (;;) {
    const answer = await fetch(url, { headers: { 'x-api-key': key } });
    if (answer.status !== 429) return answer;
    await answer.text();
    await sleep(250);
  }
}

/** Leaves questions to one endpoint without an answer. @returns lets later ones through */
async function holdBack(page: Reader['page'], endpoint: string): Promise<() => Promise<void>> {
  const isHeld = ({ pathname }: URL): boolean => pathname.endsWith(endpoint);
  // Neither continued nor fulfilled: the page itself aborts it.
  await page.route(isHeld, () => undefined);
  return () => page.unroute(isHeld);
}

/** Sends requests with the demo key from this address until one is refused. */
async function gather({ api, demoKey }: Installation): Promise<{ leave(): Promise<void> }> {
  const url = `${api}/v1/eth-mainnet/balance/native?holder=${HOLDERS.alice}&block_height=18000000`;
  let stays = true;
  let people: Promise<void>[] = [];
  await new Promise<void>((refused) => {
    // In parallel, for machines on which sequential requests would not use it up.
    people = Array.from({ length: 4 }, async () => {
      while (stays) {
        const answer = await fetch(url, { headers: { 'x-api-key': demoKey } });
        await answer.text();
        if (answer.status === 429) refused();
      }
    });
  });
  return {
    leave: async () => {
      stays = false;
      await Promise.all(people);
    },
  };
}

/** Opening + in − out + unexplained, of amounts below a hundred million with at most eight decimals. */
function closingOf(amounts: readonly string[]): string {
  const [opening, received, sent, unexplained] = amounts.map((text) =>
    Math.round(Number(text.replaceAll(',', '').replace('−', '-')) * 1e8),
  );
  return String((opening! + received! + sent! + unexplained!) / 1e8);
}
