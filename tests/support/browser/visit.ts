/** A visitor: a new browser profile, observed while it uses the portal. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { OWN_HOSTS } from './chromium.ts';

/** Faults that a visitor has met. */
export interface Watch {
  /** Requests to other hosts than this machine; there must be none. */
  readonly foreign: string[];
  /** Errors of scripts, and refusals of the content policy. */
  readonly errors: string[];
}

export interface Reader extends Watch {
  readonly context: BrowserContext;
  readonly page: Page;
}

/** For one step of a page, on a busy machine. */
const STEP_WITHIN_MS = 600_000;

/** Opens a profile with one page; every request that would leave the machine is recorded. The browser lets none leave. */
export async function openReader(browser: Browser, options: BrowserContextOptions = {}): Promise<Reader> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(STEP_WITHIN_MS);
  const watch: Watch = { foreign: [], errors: [] };
  // Not by a route: the browser would then cache nothing.
  context.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (/^(http|ws)s?:$/.test(protocol) && !OWN_HOSTS.includes(hostname)) watch.foreign.push(request.url());
  });
  // Only reported: each test decides how a page must behave without an answer.
  context.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? 'failed';
    if (why !== 'net::ERR_ABORTED') process.stderr.write(`${request.url()} had no answer: ${why}\n`);
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => watch.errors.push(error.message));
  page.on('console', (message) => {
    // A 404 is logged there as well, but is not a fault of the page.
    const isAnswer = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isAnswer) watch.errors.push(message.text());
  });
  return { context, page, ...watch };
}

/**
 * Waits until an expression is true in a page. The driver's way would be evaluated by the page, whose policy
 * forbids it.
 */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  const deadline = Date.now() + STEP_WITHIN_MS;
  while (!(await page.evaluate<boolean>(expression))) {
    if (Date.now() > deadline) throw new Error(`never came true: ${expression}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
