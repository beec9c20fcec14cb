/** A page as its readers see it: in two widths and two schemes. */
import type { Page } from 'playwright-core';
import { contrastViolationsOf, structureViolationsOf, violationsOf } from './axe.ts';
import type { Reader } from './visit.ts';

/** A window. */
interface Look {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}

/** By width: a page's structure may change with it, but not with the scheme. */
const LOOKS: readonly Look[] = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 360, colorScheme: 'dark' },
  { width: 360, colorScheme: 'light' },
];

/** Steps until a page looks as it is to be examined. */
export interface Showing {
  /** Before it is loaded. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** Resolves once the page is whole, in each window again. */
  readonly ready?: (page: Page) => Promise<unknown>;
  /** The step that its reader takes then, once. */
  readonly act?: (page: Page) => Promise<unknown>;
}

/** @returns what axe found, widths that a page exceeds, errors of its scripts, and requests to other hosts */
type Examiner = (reader: Reader, address: string, showing?: Showing) => Promise<readonly string[]>;

/**
 * Examines pages, each of which it loads once. Structure is examined in each width, colours in every look, each
 * combination of them once for all pages.
 * @param env with `EVERY_LOOK=1`, all of each page is examined in every look
 */
export function examiner(env: Readonly<Record<string, string | undefined>>): Examiner {
  const judged = new Set<string>();
  const accessibility = async (page: Page, isNewWidth: boolean): Promise<string[]> => {
    if (env.EVERY_LOOK === '1') return violationsOf(page);
    const structure = isNewWidth ? await structureViolationsOf(page) : [];
    return [...structure, ...(await contrastViolationsOf(page, judged))];
  };
  return async ({ page, errors, foreign }, address, { prepare, ready, act } = {}) => {
    const found: string[] = [];
    for (const [at, { width, colorScheme }] of LOOKS.entries()) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      if (at === 0) {
        await prepare?.(page);
        await page.goto(address);
      }
      await ready?.(page);
      if (at === 0) await act?.(page);
      const needed = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (needed > width) found.push(`${needed} pixels wide on ${width}`);
      const violations = await accessibility(page, width !== LOOKS[at - 1]?.width);
      found.push(...violations.map((line) => `${colorScheme} ${width}: ${line}`));
    }
    return [...found, ...errors.splice(0), ...foreign.splice(0)];
  };
}
