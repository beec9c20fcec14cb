/** The portal on the embedded default: one installation and one browser for all of its suites. */
import { describe } from '@jest/globals';
import { startEmbedded } from '../support/browser/installation.ts';
import { sharedInstallation } from '../support/browser/shared-installation.ts';
import { describeInBrowser } from '../support/browser/suite.ts';
import { describeDemo } from './demo.ts';
import { describeJourneys, describeSignIn } from './journeys.contract.ts';
import { describePages } from './pages.ts';
import { describeReference } from './reference.ts';
import { describeToken } from './token.ts';

describeInBrowser('The portal on the embedded default', process.env, (browser) => {
  const running = sharedInstallation(startEmbedded);
  // First, because the explorer sends one request with the demo key, whose rate the demo, last, uses up.
  describe('the API reference', () => describeReference(browser, running));
  describe('every page', () => describePages(browser, running));
  describe('people', () => describeJourneys(browser, running));
  describe('signing in', () => describeSignIn(browser, running));
  describe('a token at a date', () => describeToken(browser, running));
  describe('the demo', () => describeDemo(browser, running));
});
