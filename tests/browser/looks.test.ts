/** The examination of pages finds what it looks for, however much it has seen before. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { contrastViolationsOf } from '../support/browser/axe.ts';
import { examiner } from '../support/browser/looks.ts';
import { describeInBrowser, eachWithReader } from '../support/browser/suite.ts';
import { openReader } from '../support/browser/visit.ts';

/** Contrasts with white: 4.5 is enough for small text, 3 for large. */
const ENOUGH = '#767676';
const ENOUGH_IF_LARGE = '#949494';

const text = (style: string): string => `<p style="${style}">Some words</p>`;
const whole = (body: string, style = ''): string =>
  `<!doctype html><html lang="en"><title>A page</title><style>${style}</style><main><h1>A page</h1>${body}</main>`;

describeInBrowser('The examination of pages', process.env, (browser) => {
  const reader = eachWithReader(browser);

  describe('after text of enough contrast has passed, it still finds', () => {
    const SEEN = text(`color: ${ENOUGH}`) + text(`color: ${ENOUGH_IF_LARGE}; font-size: 40px`);
    const HIDDEN = text('color: #eee; display: none') + text('color: #eee; visibility: hidden');
    const judged = new Set<string>();
    beforeAll(async () => {
      const page = await browser().newPage();
      await page.setContent(whole(SEEN + HIDDEN));
      expect(await contrastViolationsOf(page, judged)).toEqual([]);
      await page.close();
    });

    it.each([
      ['another colour', text('color: #777')],
      ['the same colour on another background', text(`color: ${ENOUGH}; background: #eee`)],
      ['one behind its parent', `<div style="background: #eee">${text(`color: ${ENOUGH}`)}</div>`],
      ['the same colour in small text', text(`color: ${ENOUGH_IF_LARGE}`)],
      ['text that its parent makes paler', `<div style="opacity: 0.9">${text(`color: ${ENOUGH}`)}</div>`],
      ['what was hidden before', text('color: #eee')],
      ['a field', `<input aria-label="Name" value="Ada" style="color: ${ENOUGH}; background: #eee">`],
    ])('%s', async (_, body) => {
      const { page } = reader();
      await page.setContent(whole(SEEN + body));
      expect(await contrastViolationsOf(page, judged)).toEqual([expect.stringContaining('color-contrast')]);
    });

    it('nothing in the same text', async () => {
      const { page } = reader();
      await page.setContent(whole(SEEN));
      const before = judged.size;
      expect(await contrastViolationsOf(page, judged)).toEqual([]);
      expect(judged.size).toBe(before);
    });

    it('nothing in the same text beside a link beyond the edge, and does not ask axe', async () => {
      const { page } = reader();
      const link = '<a href="#main" style="color: #eee; position: absolute; top: -100px">Skip</a>';
      await page.setContent(whole(SEEN + text('color: #eee')));
      expect(await contrastViolationsOf(page, new Set(judged))).toHaveLength(1);
      await page.evaluate('axe.run = () => Promise.reject(new Error("axe was asked"))');
      await expect(contrastViolationsOf(page, new Set(judged))).rejects.toThrow('axe was asked');
      await page.evaluate(`document.querySelector('p:last-child').outerHTML = '${link}'`);
      expect(await contrastViolationsOf(page, new Set(judged))).toEqual([]);
    });
  });

  it.each(['0', '1'])('finds the faults of each look, with EVERY_LOOK=%s', async (EVERY_LOOK) => {
    const faultsOf = examiner({ EVERY_LOOK });
    const phone = '@media (width < 800px) { .wide { display: none } }';
    const wide = '@media (width > 800px) { .phone { display: none } }';
    const dark = '@media (prefers-color-scheme: dark) and (width > 800px) { h1 { color: #eee } }';
    const body =
      '<button class="wide" id="wide"></button><button class="phone" id="phone"></button>' +
      '<div class="phone" style="width: 600px">Some words</div>';
    const address = `data:text/html,${encodeURIComponent(whole(body, phone + wide + dark))}`;
    const found = (await faultsOf(reader(), address)).map(
      (line) => /^\w+ \d+: [a-z-]+|^\d+ pixels wide on \d+/.exec(line)?.[0],
    );
    expect(new Set(found)).toEqual(
      new Set([
        'light 1280: button-name',
        ...(EVERY_LOOK === '1' ? ['dark 1280: button-name', 'light 320: button-name'] : []),
        'dark 1280: color-contrast',
        'dark 320: button-name',
        expect.stringMatching(/^\d+ pixels wide on 320$/),
      ]),
    );
  });

  it.each([
    ['0', []],
    ['1', ['button-name']],
  ])(
    'judges the part alone that a step has opened; all of the page with EVERY_LOOK=%s',
    async (EVERY_LOOK, also) => {
      const faultsOf = examiner({ EVERY_LOOK });
      const body =
        '<button></button><dialog><img src="data:,"><p style="color: #eee">Some words</p></dialog><p style="color: #eee">Some other words</p>';
      const address = `data:text/html,${encodeURIComponent(whole(body))}`;
      const act = (page: Page): Promise<unknown> => page.evaluate('document.querySelector("dialog").show()');
      const found = await faultsOf(reader(), address, { act, part: 'dialog' });
      const rules = found.map((line) => /^light 1280: ([a-z-]+)/.exec(line)?.[1]).filter(Boolean);
      expect(new Set(rules)).toEqual(new Set(['image-alt', 'color-contrast', ...also]));
      expect(found.some((line) => line.includes('Some other words'))).toBe(EVERY_LOOK === '1');
    },
  );

  it('fails if the part is not there', async () => {
    const address = `data:text/html,${encodeURIComponent(whole(''))}`;
    await expect(examiner({})(reader(), address, { part: 'dialog' })).rejects.toThrow(/No elements found/);
  });

  it('loads a page once, and again after a step on it', async () => {
    const faultsOf = examiner({});
    const address = `data:text/html,${encodeURIComponent(whole(''))}`;
    let loads = 0;
    reader().page.on('load', () => (loads += 1));
    const act = (page: Page): Promise<unknown> => page.evaluate('document.querySelector("h1").remove()');
    expect(await faultsOf(reader(), address)).toEqual([]);
    expect(await faultsOf(reader(), address, { act })).toEqual([
      expect.stringContaining('page-has-heading-one'),
    ]);
    expect(loads).toBe(1);
    expect(await faultsOf(reader(), address)).toEqual([]);
    expect(loads).toBe(2);
  });

  describe('after a phone has shown and hidden parts of a page, it still finds on the next', () => {
    const PHONE =
      '@media (width > 800px) { .phone { display: none } } @media (width < 800px) { .wide { display: none } }';
    const MENU =
      '<button class="phone">Menu</button><button aria-label="Copy"><span class="wide">Copy</span></button>';
    const EDGE =
      '@media (width > 800px) { .comes { position: absolute; top: -100px } } @media (prefers-color-scheme: dark) { .comes { background: white; color: #eee } }';
    const addressOf = (body: string): string =>
      `data:text/html,${encodeURIComponent(whole(MENU + body, PHONE + EDGE))}`;
    const faultsOf = examiner({});
    beforeAll(async () => {
      const first = await openReader(browser());
      expect(await faultsOf(first, addressOf(''))).toEqual([]);
      await first.context.close();
    });

    it.each([
      ['a part that is shown', '<button class="phone"></button>', 'button-name'],
      ['a link that comes in', '<a href="#" class="comes">Skip</a>', 'color-contrast'],
      ['a part that hides its name', '<button><span class="wide">Copy</span></button>', 'button-name'],
      [
        'a part that scrolls',
        '<div style="overflow: auto; height: 30px; font: 16px/24px monospace"><div>Some words that fit one line on a wide screen, and take two lines on a phone, which is narrow</div></div>',
        'scrollable-region-focusable',
      ],
    ])('%s', async (_, body, rule) => {
      const found = await faultsOf(reader(), addressOf(body));
      expect(found).toEqual([expect.stringContaining(`dark 320: ${rule}`)]);
    });

    it('nothing on the same page', async () => {
      expect(await faultsOf(reader(), addressOf(''))).toEqual([]);
    });
  });
});
