import { startEmbedded } from '../support/browser/installation.ts';
import { describeInBrowser } from '../support/browser/suite.ts';
import { describeJourneys } from './journeys.contract.ts';

describeInBrowser('The portal on the embedded default', process.env, (browser) =>
  describeJourneys(browser, startEmbedded),
);
