/**
 * `npm run screenshots`: pictures of every page, light, dark, on a phone and on paper, into docs/images. To be looked
 * at. `npm run screenshots -- wallet token` takes those alone. Ends with 1 if a page has none.
 */
import { startEmbedded, type Installation } from '../support/browser/installation.ts';
import { findChromium, openBrowser } from '../support/browser/chromium.ts';
import { takeDrawing, takePictures } from '../support/browser/pictures.ts';
import { openReaders, PORTAL_PAGES, type PortalPage, type Readers } from '../support/browser/portal-pages.ts';

const CHOSEN = process.argv.slice(2);

/** Takes the pictures of one page. */
async function picture(readers: Readers, page: PortalPage): Promise<void> {
  const { page: tab } = readers.of(page);
  await page.prepare?.(tab);
  await tab.goto(readers.addressOf(page), { waitUntil: 'networkidle' });
  await page.ready?.(tab);
  await page.act?.(tab);
  await takePictures(tab, page.name);
  if (page.name === 'demo') await takeDrawing(tab);
}

/** @returns the pages without pictures, and why */
async function takeAll(installation: Installation, path: string): Promise<readonly string[]> {
  const missing = CHOSEN.filter((name) => PORTAL_PAGES.every((page) => page.name !== name)).map(
    (name) => `${name}: no such page`,
  );
  const browser = await openBrowser(path);
  try {
    // Headless or not, the pictures are of what a reader's own browser is called.
    const userAgent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version()} Safari/537.36`;
    const readers = await openReaders(browser, installation, { userAgent });
    for (const page of PORTAL_PAGES.filter(({ name }) => CHOSEN.length === 0 || CHOSEN.includes(name)))
      await picture(readers, page).catch((error: unknown) => missing.push(`${page.name}: ${String(error)}`));
  } finally {
    await browser.close();
  }
  return missing;
}

const chromium = findChromium(process.env);
if (chromium === undefined) throw new Error('npm run screenshots needs chromium on the path');
const installation = await startEmbedded();
try {
  const missing = await takeAll(installation, chromium);
  for (const line of missing) process.stderr.write(`no pictures of ${line}\n`);
  process.exitCode = missing.length === 0 ? 0 : 1;
} finally {
  await installation.stop();
}
