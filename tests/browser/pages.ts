/** Every page: accessible, without layout shifts, light, and without requests to other hosts. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import type { Browser } from 'playwright-core';
import { violationsOf } from '../support/browser/axe.ts';
import { examiner } from '../support/browser/looks.ts';
import type { Installation } from '../support/browser/installation.ts';
import { shiftUntil, weigh, type Weighed } from '../support/browser/measure.ts';
import { PORTAL_PAGES, openReaders, type Readers } from '../support/browser/portal-pages.ts';
import { showKey, signUp } from '../support/browser/people.ts';
import { openReader, type Reader } from '../support/browser/visit.ts';

type State = Awaited<ReturnType<Reader['context']['storageState']>>;

const TOKEN_QUERY = `?token=${TOKENS.usdc.address}&block=18000000`;
/**
 * Pages that are more than text, and the last element to appear on each. The demo has a question of few
 * answers.
 */
const HEAVY: [name: string, settled: string, query?: string][] = [
  ['/', '.steps'],
  ['/dashboard', '[data-usage-used]'],
  ['/wallet', '#statement[data-state="known"]'],
  ['/wallet/period', '#statement[data-state="known"]'],
  ['/token', '#list[data-state="known"]'],
  ['/token', '#chart[data-state="known"]', TOKEN_QUERY],
  [
    '/demo',
    '#progress[data-state="done"]',
    `?token=WETH&holder=${HOLDERS.trent}&from=18000034&to=18000036&block=18000035`,
  ],
];
const MAX_BYTES = 150_000;
/**
 * Shifts below this are not seen: web vitals call a hundred times as much good. A word that moves by 3
 * pixels, the least that browsers count, is 0.000005; a paragraph that moves by one of its lines is 0.002.
 */
const SEEN_SHIFT = 0.001;

/** To be called in a `describe`. */
export function describePages(browser: () => Browser, running: () => Installation): void {
  let signedIn: State;

  beforeAll(async () => {
    const { page, context } = await openReader(browser());
    await signUp(page, running());
    signedIn = await context.storageState();
    await context.close();
  });

  describe('passes axe, fits, and asks no other host, light and dark, on a phone as well', () => {
    const faultsOf = examiner(process.env);
    let readers: Readers;
    beforeAll(async () => {
      readers = await openReaders(browser(), running());
    });
    afterAll(() => readers?.close());

    it.each(PORTAL_PAGES.map((page) => [page.name, page] as const))('%s', async (_name, page) => {
      expect(await faultsOf(readers.of(page), readers.addressOf(page), page)).toEqual([]);
    });
  });

  const addressOf = (path: string): string => running().portal + path;

  it.each(HEAVY)(
    '%s has no layout shifts when its fonts come late, on a phone as well',
    async (path, settled, query = '') => {
      for (const width of [1280, 360]) {
        const viewport = { width, height: 800 };
        const { page, context } = await openReader(browser(), { storageState: signedIn, viewport });
        const deliverFonts = await holdFonts(page);
        const shifted = await shiftUntil(page, addressOf(path + query), async () => {
          await page.locator(settled).waitFor();
          deliverFonts();
          await page.evaluate('document.fonts.ready.then(() => undefined)');
        });
        await context.close();
        expect({ width, moves: seenMoves(shifted) }).toEqual({ width, moves: [] });
      }
    },
  );

  it.each([1280, 360])(
    'keeps the parts of its header in place while it is read piece by piece, %i pixels wide',
    async (width) => {
      const viewport = { width, height: 800 };
      const { page, context } = await openReader(browser(), { storageState: signedIn, viewport });
      await page.goto(`${running().portal}/wallet`);
      expect(await page.evaluate(READ_PIECE_BY_PIECE)).toEqual([]);
      await context.close();
    },
  );

  it.each(HEAVY)(
    '%s weighs no more than 150 KB at the first visit, and has no layout shifts when its fonts come early',
    async (path, settled, query = '') => {
      const { page, context } = await openReader(browser(), { storageState: signedIn });
      const weighed = await weigh(page, addressOf(path + query), settled);
      await context.close();
      expect(weighed.bytes).toBeGreaterThan(10_000);
      expect(weighed.bytes).toBeLessThanOrEqual(MAX_BYTES);
      expect(seenMoves(weighed)).toEqual([]);
    },
  );

  it('remembers the colours that a reader chose, from the first byte of the next page', async () => {
    const { page, context } = await openReader(browser(), { colorScheme: 'light' });
    await page.goto(running().portal);
    const colours = page.getByRole('button', { name: /^Colours/ });
    await colours.click();
    await colours.click();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    const response = await page.goto(`${running().portal}/sign-in`);
    expect(await response?.text()).toContain('data-theme="dark"');
    await context.close();
  });

  it('work without scripts: forms can be sent, and numbers are readable', async () => {
    const { page, context } = await openReader(browser(), { javaScriptEnabled: false });
    await signUp(page, running());
    expect(await page.locator('[data-usage-used]').innerText()).toBe('0');
    await page.getByText('Python', { exact: true }).click();
    await page.locator('#call-python').waitFor();
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Show' }).click();
    await page.locator('[data-key-value]', { hasText: /^\s*hs_\w{20,}\s*$/ }).waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Project name').fill('Without scripts');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { level: 1, name: 'Without scripts', exact: true }).waitFor();
    await context.close();
  });

  it('can be used with only the keyboard, from the first page to the key', async () => {
    const { page, context } = await openReader(browser());
    // A key is shown only shortly after a sign-in.
    await signUp(page, running());
    await page.goto(running().portal);
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to content');
    for (const name of ['Dashboard', 'Show']) {
      await tabTo(page, name);
      expect(await hasVisibleFocus(page)).toBe(true);
      await page.keyboard.press('Enter');
      if (name === 'Dashboard') await page.waitForURL('**/dashboard/projects/*');
    }
    await page.getByRole('button', { name: 'Hide', exact: true }).waitFor();
    expect(await page.locator('[data-key-value]').innerText()).toMatch(/^hs_\w{20,}$/);
    await context.close();
  });

  it('put a key that is shown into the calls, and the view into the audit log', async () => {
    const { page, context } = await openReader(browser());
    await signUp(page, running());
    const calls = page.locator('#call-curl, #call-typescript, #call-python');
    const each = async (): Promise<string[]> => calls.allTextContents();
    expect(await each()).toEqual(Array(3).fill(expect.stringContaining('YOUR_API_KEY')));
    const key = await showKey(page);
    expect(await each()).toEqual(Array(3).fill(expect.stringContaining(key)));
    await page.getByText('Latest: Key revealed').waitFor();
    await page.getByRole('button', { name: 'Hide', exact: true }).click();
    expect(await page.content()).not.toContain(key);
    await context.close();
  });

  it('close a menu that the focus leaves: it would hide what has the focus on a phone', async () => {
    const viewport = { width: 320, height: 800 };
    const { page, context } = await openReader(browser(), { storageState: signedIn, viewport });
    await page.goto(addressOf('/dashboard'));
    await page.locator('.menu.projects summary').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.locator('.menu[open] a:focus').count()).toBe(1);
    await page.locator('main a').first().focus();
    expect(await page.locator('.menu[open]').count()).toBe(0);
    await context.close();
  });

  it('give a long name two lines above the key, and break it elsewhere, on a phone as well', async () => {
    const { page, context } = await openReader(browser(), { viewport: { width: 1280, height: 800 } });
    await signUp(page, running(), `reader@${'w'.repeat(63)}.example.org`);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Project name').fill('W'.repeat(100));
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.waitForURL('**done=renamed');
    await page.goto(`${running().portal}/dashboard`);
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      const lines = `(({ offsetHeight }, { lineHeight }) => Math.round(offsetHeight / parseFloat(lineHeight)))(
          document.querySelector('h1'), getComputedStyle(document.querySelector('h1')))`;
      expect(await page.evaluate(lines)).toBe(2);
    }
    const project = page.url();
    await page.setViewportSize({ width: 320, height: 800 });
    for (const address of [project, `${project}/settings`, `${project}/delete`, addressOf('/account')]) {
      await page.goto(address);
      expect([address, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([address, 320]);
    }
    await context.close();
  });

  it('tie what is wrong to the field it is about', async () => {
    const { page, context } = await openReader(browser());
    await page.goto(`${running().portal}/sign-up`);
    await page.getByLabel('Email').fill('ada@example.org');
    await page.getByLabel('Password').fill('password1234');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.locator('#password-error').waitFor();
    const field = page.getByLabel('Password');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    const described = (await field.getAttribute('aria-describedby')) ?? '';
    expect(described.split(' ')).toContain('password-error');
    expect(await page.locator('#password-error').innerText()).not.toBe('');
    expect(await violationsOf(page)).toEqual([]);
    await context.close();
  });
}

/**
 * Runs in a page: writes it again, up to its content, with two frames after each tag. Resolves to the shifts
 * that it saw.
 */
const READ_PIECE_BY_PIECE = `(async () => {
  const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const [head, rest] = (await (await fetch(location.href)).text()).split(/(?=<body)/);
  const shifts = [];
  const observer = new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value }) => value)));
  document.open();
  document.write(head);
  while ([...document.querySelectorAll('link[rel=stylesheet]')].some(({ sheet }) => !sheet)) await painted();
  observer.observe({ type: 'layout-shift' });
  for (const piece of rest.split('<main')[0].split(/(?=<)/)) {
    document.write(piece);
    await painted();
  }
  document.close();
  return shifts;
})()`;

/** The layout shifts of a page where a reader sees them. */
function seenMoves({ shift, moves }: Pick<Weighed, 'shift' | 'moves'>): readonly string[] {
  return shift < SEEN_SHIFT ? [] : moves;
}

/** Holds fonts back until they are released. */
async function holdFonts(page: Reader['page']): Promise<() => void> {
  let deliver = (): void => undefined;
  const delivery = new Promise<void>((done) => (deliver = done));
  await page.route('**/assets/fonts/**', async (route) => {
    await delivery;
    await route.continue();
  });
  return deliver;
}

function focused(page: Reader['page']): Promise<string> {
  return page.evaluate<string>('document.activeElement.textContent.trim()');
}

async function tabTo(page: Reader['page'], name: string): Promise<void> {
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press('Tab');
    if ((await focused(page)) === name) return;
  }
  throw new Error(`Tab never came to ${name}`);
}

function hasVisibleFocus(page: Reader['page']): Promise<boolean> {
  return page.evaluate<boolean>(
    'parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2 && getComputedStyle(document.activeElement).outlineStyle !== "none"',
  );
}
