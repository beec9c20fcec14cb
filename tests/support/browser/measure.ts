/** The weight of a page, and its layout shifts. */
import type { Page } from 'playwright-core';

/** Layout shifts of a page. */
interface Shifted {
  /** The cumulative layout shift (web-vitals): 0 when nothing moved. */
  readonly shift: number;
  /** A line for each shift: by how much, when, and which parts, from where to where. */
  readonly moves: readonly string[];
}

/** A first visit. Times in milliseconds from the beginning of the navigation. */
export interface Weighed extends Shifted {
  /** Bytes that went over the wire, headers included. */
  readonly bytes: number;
  /** When the largest element was painted. */
  readonly painted: number;
  /** Time at which the document and its scripts were done, and no long task held up the page any more. */
  readonly interactive: number;
}

interface Observed {
  shift: number;
  moves: string[];
  painted: number;
  lastTask: number;
}

/** Loads a page with an empty cache, waits until `settled`, and weighs it. */
export async function weigh(page: Page, url: string, settled: string): Promise<Weighed> {
  const session = await page.context().newCDPSession(page);
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await session.send('Network.enable');
  await page.addInitScript(observe);
  await page.goto(url, { waitUntil: 'networkidle' });
  await page.waitForSelector(settled);
  const { shift, moves, painted, lastTask, loaded } = await page.evaluate<Observed & { loaded: number }>(
    "({ ...observed, loaded: performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd })",
  );
  await session.detach();
  return { bytes, shift, moves, painted, interactive: Math.max(loaded, lastTask) };
}

/** Loads a page, and returns its layout shifts until `settle` resolves. */
export async function shiftUntil(page: Page, url: string, settle: () => Promise<void>): Promise<Shifted> {
  await page.addInitScript(observe);
  await page.goto(url, { waitUntil: 'commit' });
  await settle();
  // Shifts by the last change are known once it is painted.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  return page.evaluate<Shifted>('({ shift: observed.shift, moves: observed.moves })');
}

/** Runs in the page before its own scripts. */
function observe(): void {
  interface Entry {
    startTime: number;
    duration: number;
    value?: number;
    hadRecentInput?: boolean;
    sources?: readonly Source[];
  }
  interface Source {
    readonly node: { readonly nodeName: string; readonly textContent: string | null } | null;
    readonly previousRect: object;
    readonly currentRect: object;
  }
  const observed: Observed = { shift: 0, moves: [], painted: 0, lastTask: 0 };
  Object.assign(globalThis, { observed });
  const watch = (type: string, use: (entry: Entry) => void): void => {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) use(entry);
    }).observe({ type, buffered: true } as never);
  };
  watch('layout-shift', (entry) => {
    if (entry.hadRecentInput) return;
    observed.shift += entry.value ?? 0;
    const parts = (entry.sources ?? []).map(({ node, previousRect, currentRect }) => {
      const what = `${node?.nodeName} ${node?.textContent?.trim().slice(0, 40)}`;
      return `${what}: ${JSON.stringify([previousRect, currentRect])}`;
    });
    observed.moves.push(`${entry.value} at ${entry.startTime} ms: ${parts.join('; ')}`);
  });
  watch('largest-contentful-paint', ({ startTime }) => (observed.painted = startTime));
  watch('longtask', ({ startTime, duration }) => (observed.lastTask = startTime + duration));
}
