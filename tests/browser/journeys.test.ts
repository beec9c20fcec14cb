import { afterAll, beforeAll } from '@jest/globals';
import { startEmbedded, type Installation } from '../support/browser/installation.ts';
import { describeInBrowser } from '../support/browser/suite.ts';
import { describeJourneys } from './journeys.contract.ts';

describeInBrowser('The portal on the embedded default', process.env, (browser) => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await startEmbedded();
  }, 60_000);
  afterAll(() => installation.stop());

  describeJourneys(browser, () => installation);
});
