/** Declares that a test file needs a browser; the counterpart of `describeOnServers`. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { areRequired } from '@hindsight/tools/servers/find.ts';
import { SHARED_SERVERS, takeNetworkTurn } from '@hindsight/tools/servers/shared-servers.ts';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { COMMANDS, findChromium, openBrowser } from './chromium.ts';
import { openReader, type Reader } from './visit.ts';

/** A suite with a Docker engine may have to end first. */
const TURN_WITHIN_MS = 30 * 60_000;
/** Optimized code goes with its page, which lives for a second: to make it takes more time than it saves. */
const BRIEF_PAGES = ['--js-flags=--no-turbofan,--no-maglev'];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A `describe` that runs in a real Chromium, which is started once for its body. Without one the suite is skipped with
 * a line on stderr; with `REQUIRE_SERVERS=1` it fails.
 */
export function describeInBrowser(
  title: string,
  env: Environment,
  body: (browser: () => Browser) => void,
): void {
  const path = findChromium(env);
  if (path !== undefined) return void describe(title, () => body(sharedBrowser(path, env[SHARED_SERVERS])));
  const why = `none of ${COMMANDS.join(', ')} is on the path`;
  if (areRequired(env)) return failing(title, `REQUIRE_SERVERS=1, but ${why}`);
  process.stderr.write(`\nSKIPPED: ${title}: ${why}\n`);
  describe.skip(title, () => hasBrowser(why));
}

function sharedBrowser(path: string, servers: string | undefined): () => Browser {
  let browser: Browser | undefined;
  let endTurn: (() => void) | undefined;
  beforeAll(async () => {
    if (servers === undefined) throw new Error(`${SHARED_SERVERS} is not set: run tests with npm test`);
    endTurn = await takeNetworkTurn(servers, 'browser');
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
