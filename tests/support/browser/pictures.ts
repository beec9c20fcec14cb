/** The pictures of a page: in light and dark, on a phone, and on paper. */
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';

/** The folder of all pictures. */
export const PICTURES = resolve(import.meta.dirname, '../../../docs/images');

const WIDE = { width: 1280, height: 820 };
const PHONE = { width: 360, height: 780 };
/** A4 within the margins of the pages' print styles. */
const PAPER = { width: 672, height: 987 };
/** Beyond this height a picture shows nothing new, and is too heavy to keep. */
const MAX_HEIGHT = 1650;
/** The same of documents, which are more of one kind. */
const MAX_HEIGHT_OF_READING = 1200;

const LOOKS = [
  { look: 'light', size: WIDE, media: { colorScheme: 'light', media: 'screen' } },
  { look: 'dark', size: WIDE, media: { colorScheme: 'dark', media: 'screen' } },
  { look: 'phone', size: PHONE, media: { colorScheme: 'light', media: 'screen' } },
  { look: 'print', size: PAPER, media: { colorScheme: 'light', media: 'print' } },
] as const;

/** File names of the pictures of a page. */
export function picturesOf(name: string): readonly string[] {
  return LOOKS.map(({ look }) => fileOf(name, look));
}

function fileOf(name: string, look: string): string {
  return `${name}-${look}.png`;
}

/** Takes all pictures of a page that is open. */
export async function takePictures(page: Page, name: string): Promise<void> {
  const reading = /^\/(docs|reference)(\/|$)/.test(new URL(page.url()).pathname);
  for (const { look, size, media } of LOOKS) {
    await page.emulateMedia({ ...media, reducedMotion: 'reduce' });
    await page.setViewportSize(size);
    await page.evaluate('document.fonts.ready.then(() => new Promise(requestAnimationFrame))');
    const whole = await page.evaluate<number>('document.documentElement.scrollHeight');
    const most = look === 'print' ? PAPER.height : reading ? MAX_HEIGHT_OF_READING : MAX_HEIGHT;
    // As a window of that height: a picture of the full page would have all of the explorer rendered.
    await page.setViewportSize({ width: size.width, height: Math.min(whole, most) });
    await page.screenshot({ path: join(PICTURES, fileOf(name, look)) });
  }
  await page.emulateMedia({ colorScheme: 'light', media: 'screen' });
  await page.setViewportSize(WIDE);
}

/** The two pictures that the README opens with: the drawing of the demo page, which is open. */
export async function takeDrawing(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.evaluate('new Promise(requestAnimationFrame)');
    const { x, y, width, height } = (await page.locator('.drawing').boundingBox()) ?? { x: 0, y: 0, ...WIDE };
    const clip = { x: x - 20, y: y - 14, width: width + 40, height: height + 28 };
    await page.screenshot({ path: join(PICTURES, fileOf(DRAWING, colorScheme)), fullPage: true, clip });
  }
}

const DRAWING = 'demo-chart';
/** File names of those two. */
export const DRAWINGS: readonly string[] = ['light', 'dark'].map((scheme) => fileOf(DRAWING, scheme));
