/** Declares that a test file needs a browser; the counterpart of `describeOnServers`. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { areRequired } from '@hindsight/tools/servers/find.ts';
import { SHARED_SERVERS, takeNetworkTurn } from '@hindsight/tools/servers/shared-servers.ts';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { COMMANDS, findChromium, openBrowser } from './chromium.ts';
import { openReader, type Reader } from './visit.ts';

/** A suite with a Docker engine may have to end first, which takes half an hour on a busy machine. */
export const TURN_WITHIN_MS = 60 * 60_000;
/** Optimized code goes with its page, which lives for a second: to make it takes more time than it saves. */
const BRIEF_PAGES = ['--js-flags=--no-turbofan,--no-maglev'];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A `describe` that runs in a real Chromium, which is started once for its body. Without one the suite is skipped with
 * a line on stderr; with `REQUIRE_SERVERS=1` it fails. @param takeTurn a suite that starts much takes its turn first
 */
export function describeInBrowser(
  title: string,
  env: Environment,
  body: (browser: () => Browser) => void,
  takeTurn = takeBrowserTurn,
): void {
  const path = findChromium(env);
  if (path !== undefined) return void describe(title, () => body(sharedBrowser(path, () => takeTurn(env))));
  const why = `none of ${COMMANDS.join(', ')} is on the path`;
  if (areRequired(env)) return failing(title, `REQUIRE_SERVERS=1, but ${why}`);
  process.stderr.write(`\nSKIPPED: ${title}: ${why}\n`);
  describe.skip(title, () => hasBrowser(why));
}

/** Waits until no suite has a Docker engine. @returns a function that ends the turn */
export function takeBrowserTurn(env: Environment): Promise<() => void> {
  const servers = env[SHARED_SERVERS];
  if (servers === undefined) throw new Error(`${SHARED_SERVERS} is not set: run tests with npm test`);
  return takeNetworkTurn(servers, 'browser');
}

function sharedBrowser(path: string, takeTurn: () => Promise<() => void>): () => Browser {
  let browser: Browser | undefined;
  let endTurn: (() => void) | undefined;
  beforeAll(async () => {
    endTurn = await takeTurn();
    browser = await openBrowser(path, BRIEF_PAGES);
  }, TURN_WITHIN_MS);
  afterAll(async () => {
    await browser?.close();
    endTurn?.();
  });
  return () => {
    if (browser === undefined) throw new Error('the browser is there when the first test runs');
    return browser;
  };
}

/** A visitor for each test of a `describe`. None may meet an error or contact another host. */
export function eachWithReader(browser: () => Browser, options: BrowserContextOptions = {}): () => Reader {
  let reader: Reader;
  beforeEach(async () => {
    reader = await openReader(browser(), options);
  });
  afterEach(async () => {
    const { foreign, errors, context } = reader;
    await context.close();
    expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });
  });
  return () => reader;
}

function failing(title: string, why: string): void {
  describe(title, () => hasBrowser(why));
}

function hasBrowser(why: string): void {
  it('has its browser', () => {
    throw new Error(why);
  });
}
