import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { sharedInstallation } from '../support/browser/shared-installation.ts';
import { startStack } from '../support/browser/stack.ts';
import { describeInBrowser } from '../support/browser/suite.ts';
import { describeJourneys } from './journeys.contract.ts';

const own = ['kafka', 'redis', 'mongodb'] as const;

await describeOnServers('On the production topology', { env: process.env, own }, () =>
  describeInBrowser('the portal', process.env, (browser) =>
    describeJourneys(browser, sharedInstallation(startStack)),
  ),
);
