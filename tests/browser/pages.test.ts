/** Every page: usable by everybody, still, light, and talking to nobody else. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { violationsOf } from '../support/browser/axe.ts';
import { startEmbedded, type Installation } from '../support/browser/installation.ts';
import { weigh } from '../support/browser/measure.ts';
import { signUp } from '../support/browser/people.ts';
import { describeInBrowser } from '../support/browser/suite.ts';
import { openReader } from '../support/browser/visit.ts';

type State = Awaited<ReturnType<Awaited<ReturnType<typeof openReader>>['context']['storageState']>>;

const OPEN = [
  '/',
  '/reference',
  '/sign-up',
  '/sign-in',
  '/verify',
  '/forgot',
  '/reset',
  '/outbox',
  '/status',
  '/nowhere',
];
const SIGNED_IN = ['/dashboard', '/account', '/'];
/** Scalar's own markup: an editor without a name, buttons without text (1.72.1). What stands around it is ours. */
const SCALAR = ['#reference'];
const WITHIN_MS = 90_000;
const MOST_BYTES = 150_000;

describeInBrowser('Every page of the portal', process.env, (browser) => {
  let installation: Installation;
  let signedIn: State;

  beforeAll(async () => {
    installation = await startEmbedded();
    const { page, context } = await openReader(browser());
    await signUp(page, installation);
    signedIn = await context.storageState();
    await context.close();
  }, WITHIN_MS);
  afterAll(() => installation.stop());

  describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
    it.each([1280, 360])(
      'has nothing that axe objects to, fits, and asks no other host, %i pixels wide',
      async (width) => {
        const visits: [path: string, state?: State][] = [
          ...OPEN.map((path): [string] => [path]),
          ...SIGNED_IN.map((path): [string, State] => [path, signedIn]),
        ];
        const reader = await openReader(browser(), { colorScheme, viewport: { width, height: 800 } });
        const found: string[] = [];
        for (const [path, state] of visits) {
          if (state) await reader.context.addCookies(state.cookies);
          await reader.page.goto(installation.portal + path);
          found.push(
            ...(await violationsOf(reader.page, path === '/reference' ? SCALAR : [])).map(
              (line) => `${path}: ${line}`,
            ),
          );
          const needed = await reader.page.evaluate<number>('document.documentElement.scrollWidth');
          if (needed > width) found.push(`${path}: is ${needed} pixels wide`);
        }
        await reader.context.close();
        expect([...found, ...reader.errors, ...reader.foreign]).toEqual([]);
      },
      WITHIN_MS,
    );
  });

  it.each([
    ['/', '.steps'],
    ['/dashboard', '[data-usage-used]'],
    ['/demo', '#answer[data-state="known"]'],
  ])(
    '%s keeps still and weighs no more than 150 KB at the first visit',
    async (path, settled) => {
      const reader = await openReader(browser(), { storageState: signedIn });
      const { bytes, shift } = await weigh(reader.page, installation.portal + path, settled);
      await reader.context.close();
      expect(shift).toBe(0);
      expect(bytes).toBeGreaterThan(10_000);
      expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
    },
    WITHIN_MS,
  );

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
    'works without scripts: the forms are forms, and numbers are numbers',
    async () => {
      const { page, context } = await openReader(browser(), { javaScriptEnabled: false });
      await signUp(page, installation);
      expect(await page.locator('[data-usage-used]').innerText()).toBe('0');
      await page.getByLabel('Name of this project').fill('Without scripts');
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
      await page.getByLabel('E-mail address').fill('ada@example.org');
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
