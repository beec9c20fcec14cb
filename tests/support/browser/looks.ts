/** A page as its readers see it: in two widths and two schemes. */
import type { Page } from 'playwright-core';
import { violationsOf } from './axe.ts';
import type { Reader } from './visit.ts';

/** A window, and what is examined in it. */
interface Look {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
  readonly rules: 'all' | 'of colours';
}

/** In another scheme nothing but colours changes. */
const LOOKS: readonly Look[] = [
  { width: 1280, colorScheme: 'light', rules: 'all' },
  { width: 1280, colorScheme: 'dark', rules: 'of colours' },
  { width: 360, colorScheme: 'dark', rules: 'all' },
  { width: 360, colorScheme: 'light', rules: 'of colours' },
];

/**
 * Loads a page once, and examines it in every width and scheme.
 * @param settle resolves once the page is whole
 * @returns what axe found, widths that it exceeds, errors of its scripts, and requests to other hosts
 */
export async function faultsOf(
  { page, errors, foreign }: Reader,
  address: string,
  settle?: (page: Page) => Promise<void>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [at, { width, colorScheme, rules }] of LOOKS.entries()) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    if (at === 0) await page.goto(address);
    await settle?.(page);
    const needed = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (needed > width) found.push(`${needed} pixels wide on ${width}`);
    const violations = await violationsOf(page, rules);
    found.push(...violations.map((line) => `${colorScheme} ${width}: ${line}`));
  }
  return [...found, ...errors.splice(0), ...foreign.splice(0)];
}
