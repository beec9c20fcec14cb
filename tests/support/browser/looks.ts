/** A page as its readers see it: in two widths and two schemes. */
import type { Page } from 'playwright-core';
import {
  contrastViolationsOf,
  noteDisplay,
  structureViolationsOf,
  violationsOf,
  widthViolationsOf,
} from './axe.ts';
import type { Reader } from './visit.ts';

/** A window. */
interface Look {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}

/** By width, the smaller that of a window at 400 %: parts are shown and hidden by it, but not by the scheme. */
const LOOKS: readonly Look[] = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 320, colorScheme: 'dark' },
  { width: 320, colorScheme: 'light' },
];

/** Steps until a page looks as it is to be examined. */
export interface Showing {
  /** Before it is loaded. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** Resolves once the page is whole, in each window again. */
  readonly ready?: (page: Page) => Promise<unknown>;
  /** The step that its reader takes then, once. */
  readonly act?: (page: Page) => Promise<unknown>;
  /** A selector: the part that is judged, where the rest of the page is that of another. */
  readonly part?: string;
}

/** @returns what axe found, widths that a page exceeds, errors of its scripts, and requests to other hosts */
type Examiner = (reader: Reader, address: string, showing?: Showing) => Promise<readonly string[]>;

/**
 * Examines pages, each of which it loads once, and not again for the same address if nothing has been done on it.
 * Structure is examined in the first width, and in the other where that shows or hides what it did on no page before;
 * colours in every look, each combination of them once for all pages.
 * @param env with `EVERY_LOOK=1`, all of each page is examined in every look
 */
export function examiner(env: Readonly<Record<string, string | undefined>>): Examiner {
  const colours = new Set<string>();
  const changes = new Set<string>();
  const untouched = new WeakMap<Page, string>();
  const structure = async (page: Page, at: number, part?: string): Promise<string[]> => {
    if (LOOKS[at]?.width === LOOKS[at - 1]?.width) return [];
    if (at > 0) return widthViolationsOf(page, changes, part);
    await noteDisplay(page);
    return structureViolationsOf(page, part);
  };
  const accessibility = async (page: Page, at: number, part?: string): Promise<string[]> => {
    if (env.EVERY_LOOK === '1') return violationsOf(page);
    return [...(await structure(page, at, part)), ...(await contrastViolationsOf(page, colours, part))];
  };
  return async ({ page, errors, foreign }, address, { prepare, ready, act, part } = {}) => {
    const found: string[] = [];
    const isOpen = prepare === undefined && untouched.get(page) === address && page.url() === address;
    untouched.delete(page);
    for (const [at, { width, colorScheme }] of LOOKS.entries()) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      if (at === 0) {
        await prepare?.(page);
        if (!isOpen) await page.goto(address);
      }
      await ready?.(page);
      if (at === 0) await act?.(page);
      const needed = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (needed > width) found.push(`${needed} pixels wide on ${width}`);
      const violations = await accessibility(page, at, part);
      found.push(...violations.map((line) => `${colorScheme} ${width}: ${line}`));
    }
    if (prepare === undefined && act === undefined) untouched.set(page, address);
    return [...found, ...errors.splice(0), ...foreign.splice(0)];
  };
}
