import { afterAll, beforeAll } from '@jest/globals';
import { describeOnServers } from '@hindsight/deploy/servers/suite.ts';
import type { Installation } from '../support/browser/installation.ts';
import { startStack } from '../support/browser/stack.ts';
import { describeInBrowser } from '../support/browser/suite.ts';
import { describeJourneys } from './journeys.contract.ts';

const own = ['kafka', 'redis', 'mongodb'] as const;

await describeOnServers('On the production topology', { env: process.env, own }, () => {
  describeInBrowser('the portal', process.env, (browser) => {
    let installation: Installation;
    beforeAll(async () => {
      installation = await startStack();
    }, 150_000);
    afterAll(() => installation.stop(), 60_000);

    describeJourneys(browser, () => installation);
  });
});
