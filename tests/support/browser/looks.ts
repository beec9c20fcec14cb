/** A page as its readers see it: in two widths and two schemes. */
import type { Page } from 'playwright-core';
import { violationsOf } from './axe.ts';
import type { Reader } from './visit.ts';

/** A window. */
interface Look {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}

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

/**
 * Loads a page once, and examines it in every width and scheme.
 * @returns what axe found, widths that it exceeds, errors of its scripts, and requests to other hosts
 */
export async function faultsOf(
  { page, errors, foreign }: Reader,
  address: string,
  { prepare, ready, act }: Showing = {},
): Promise<readonly string[]> {
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
    const violations = await violationsOf(page);
    found.push(...violations.map((line) => `${colorScheme} ${width}: ${line}`));
  }
  return [...found, ...errors.splice(0), ...foreign.splice(0)];
}
