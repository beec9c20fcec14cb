/** `npm run bench portal`: how soon pages of the portal can be used, in a real Chromium with an empty cache. */
import { startEmbedded } from '../../tests/support/browser/installation.ts';
import { weigh, type Weighed } from '../../tests/support/browser/measure.ts';
import { signUp } from '../../tests/support/browser/people.ts';
import { findChromium, openBrowser } from '../../tests/support/browser/chromium.ts';
import { openReader } from '../../tests/support/browser/visit.ts';

const VISITS = 7;
const PAGES = [
  ['landing', '/', '.steps'],
  ['dashboard', '/dashboard', '[data-usage-used]'],
  ['demo, first answer', '/demo', '#answer[data-state="known"]'],
] as const;

/** Prints the median of a few first visits to each page. */
export async function run(): Promise<void> {
  const chromium = findChromium(process.env);
  if (chromium === undefined) throw new Error('this benchmark needs chromium on the path');
  const installation = await startEmbedded();
  const browser = await openBrowser(chromium);
  try {
    const first = await openReader(browser);
    await signUp(first.page, installation);
    const storageState = await first.context.storageState();
    await first.context.close();
    console.log('| page | painted | interactive | layout shift | bytes |');
    for (const [name, path, settled] of PAGES) {
      const visits: Weighed[] = [];
      for (let i = 0; i < VISITS; i++) {
        const { page, context } = await openReader(browser, { storageState });
        visits.push(await weigh(page, installation.portal + path, settled));
        await context.close();
      }
      const middle = (pick: (visit: Weighed) => number) =>
        visits.map(pick).sort((a, b) => a - b)[VISITS >> 1] ?? 0;
      const painted = `${Math.round(middle((v) => v.painted))} ms`;
      const interactive = `${Math.round(middle((v) => v.interactive))} ms`;
      const shift = Math.max(...visits.map((v) => v.shift));
      console.log(`| ${name} | ${painted} | ${interactive} | ${shift} | ${middle((v) => v.bytes)} |`);
    }
  } finally {
    await browser.close();
    await installation.stop();
  }
}
