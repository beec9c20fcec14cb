import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { AS_SHIPPED } from './networks.ts';
import { describePruned } from './pruned.contract.ts';

await describeOnServers(
  'on a pruned geth, hash scheme, asked by plain calls',
  { env: process.env, own: ['geth'] },
  () => describePruned('hash', AS_SHIPPED),
);
