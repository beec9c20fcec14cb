/** Every page: accessible, without layout shifts, light, and without requests to other hosts. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HOLDERS } from '@hindsight/devchain/world.ts';
import { violationsOf } from '../support/browser/axe.ts';
import { startEmbedded, type Installation } from '../support/browser/installation.ts';
import { shiftUntil, weigh } from '../support/browser/measure.ts';
import { signUp } from '../support/browser/people.ts';
import { SCALAR_FAULTS, untilReferenceStands } from '../support/browser/scalar.ts';
import { describeInBrowser } from '../support/browser/suite.ts';
import { openReader, type Reader } from '../support/browser/visit.ts';

type State = Awaited<ReturnType<Awaited<ReturnType<typeof openReader>>['context']['storageState']>>;

const OPEN = [
  '/',
  '/docs',
  '/docs/limits',
  '/docs/quickstart',
  '/docs/errors',
  '/docs/search?q=rate+limit',
  '/reference',
  '/reference/get-token-balance',
  '/reference/get-the-balances-of-up-to-1000000-holders-at-one-block',
  '/sign-up',
  '/sign-in',
  '/verify',
  '/forgot',
  '/reset',
  '/outbox',
  '/status',
  '/wallet',
  '/nowhere',
];
/** A third-party component, as slow as all the rest: both schemes and both widths, but not in all combinations. */
const EXPLORER = '/reference/explorer';
const EXPLORER_AT = ['light 1280', 'dark 360'];
const PROJECT_PAGES = ['/settings', '/keys', '/keys/default', '/usage/report', '/audit', '/delete'];
const SIGNED_IN = ['/dashboard', '/account', '/', '/sign-in?again=1&next=/account'];
/** Pages that are more than text, and what appears on them last. The demo with a question of few answers. */
const HEAVY: [name: string, settled: string, query?: string][] = [
  ['/', '.steps'],
  ['/dashboard', '[data-usage-used]'],
  ['/wallet', '#statement[data-state="known"]'],
  [
    '/demo',
    '#progress[data-state="done"]',
    `?token=WETH&holder=${HOLDERS.trent}&from=18000034&to=18000036&block=18000035`,
  ],
];
const WITHIN_MS = 300_000;
const MAX_BYTES = 150_000;

describeInBrowser('Every page of the portal', process.env, (browser) => {
  let installation: Installation;
  let signedIn: State;
  let dashboard: string;

  beforeAll(async () => {
    installation = await startEmbedded();
    const { page, context } = await openReader(browser());
    await signUp(page, installation);
    dashboard = new URL(page.url()).pathname;
    signedIn = await context.storageState();
    await context.close();
  }, WITHIN_MS);
  afterAll(() => installation?.stop());

  describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
    it.each([1280, 360])(
      'passes axe, fits, and asks no other host, %i pixels wide',
      async (width) => {
        const visits: [path: string, state?: State][] = [
          ...OPEN.map((path): [string] => [path]),
          ...(EXPLORER_AT.includes(`${colorScheme} ${width}`) ? [[EXPLORER] as [string]] : []),
          ...[...SIGNED_IN, ...PROJECT_PAGES.map((page) => dashboard + page)].map((path): [string, State] => [
            path,
            signedIn,
          ]),
        ];
        const reader = await openReader(browser(), { colorScheme, viewport: { width, height: 800 } });
        const found: string[] = [];
        for (const [path, state] of visits) {
          if (state) await reader.context.addCookies(state.cookies);
          await reader.page.goto(installation.portal + path);
          if (path === EXPLORER) await untilReferenceStands(reader.page);
          const violations = await violationsOf(reader.page, path === EXPLORER ? SCALAR_FAULTS : []);
          found.push(...violations.map((line) => `${path}: ${line}`));
          const needed = await reader.page.evaluate<number>('document.documentElement.scrollWidth');
          if (needed > width) found.push(`${path}: is ${needed} pixels wide`);
        }
        await reader.context.close();
        expect([...found, ...reader.errors, ...reader.foreign]).toEqual([]);
      },
      WITHIN_MS,
    );
  });

  it.each(HEAVY)(
    '%s weighs no more than 150 KB at the first visit',
    async (path, settled, query = '') => {
      const { page, context } = await openReader(browser(), { storageState: signedIn });
      const { bytes } = await weigh(page, installation.portal + path + query, settled);
      await context.close();
      expect(bytes).toBeGreaterThan(10_000);
      expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
    },
    WITHIN_MS,
  );

  describe.each(['early', 'late'] as const)('its fonts come %s', (fonts) => {
    it.each(HEAVY)(
      'and %s has no layout shifts, on a phone as well',
      async (path, settled, query = '') => {
        for (const width of [1280, 360]) {
          const viewport = { width, height: 800 };
          const { page, context } = await openReader(browser(), { storageState: signedIn, viewport });
          const deliver = fonts === 'late' ? await holdFonts(page) : () => undefined;
          const shift = await shiftUntil(page, installation.portal + path + query, async () => {
            await page.locator(settled).waitFor();
            deliver();
            await page.evaluate('document.fonts.ready.then(() => undefined)');
          });
          await context.close();
          expect({ width, shift }).toEqual({ width, shift: 0 });
        }
      },
      WITHIN_MS,
    );
  });

  it(
    'remembers the colours that a reader chose, from the first byte of the next page',
    async () => {
      const { page, context } = await openReader(browser(), { colorScheme: 'light' });
      await page.goto(installation.portal);
      const colours = page.getByRole('button', { name: /^Colours/ });
      await colours.click();
      await colours.click();
      expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
      const response = await page.goto(`${installation.portal}/sign-in`);
      expect(await response?.text()).toContain('data-theme="dark"');
      await context.close();
    },
    WITHIN_MS,
  );

  it(
    'works without scripts: forms can be sent, and numbers are readable',
    async () => {
      const { page, context } = await openReader(browser(), { javaScriptEnabled: false });
      await signUp(page, installation);
      expect(await page.locator('[data-usage-used]').innerText()).toBe('0');
      await page.getByText('Python', { exact: true }).click();
      expect(await page.locator('#call-python').isVisible()).toBe(true);
      expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Show' }).click();
      expect(await page.locator('[data-key-value]').innerText()).toMatch(/^hs_\w{20,}$/);
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByLabel('Project name').fill('Without scripts');
      await page.getByRole('button', { name: 'Rename' }).click();
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Without scripts');
      await context.close();
    },
    WITHIN_MS,
  );

  it(
    'ties what is wrong to the field it is about',
    async () => {
      const { page, context } = await openReader(browser());
      await page.goto(`${installation.portal}/sign-up`);
      await page.getByLabel('Email').fill('ada@example.org');
      await page.getByLabel('Password').fill('password1234');
      await page.getByRole('button', { name: 'Sign up' }).click();
      const field = page.getByLabel('Password');
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      const described = (await field.getAttribute('aria-describedby')) ?? '';
      expect(described.split(' ')).toContain('password-error');
      expect(await page.locator('#password-error').innerText()).not.toBe('');
      expect(await violationsOf(page)).toEqual([]);
      await context.close();
    },
    WITHIN_MS,
  );
});

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
