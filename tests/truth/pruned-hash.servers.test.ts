import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { AS_SHIPPED } from './networks.ts';
import { prunedContract } from './pruned.contract.ts';

await describeOnServers(
  'on a pruned geth, hash scheme, asked by plain calls',
  { env: process.env, own: ['geth'] },
  () => prunedContract('hash', AS_SHIPPED),
);
