import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { FROM_BYZANTIUM } from './networks.ts';
import { describePruned } from './pruned.contract.ts';

await describeOnServers(
  'on a pruned geth, path scheme, asked in one eth_call',
  { env: process.env, own: ['geth'] },
  () => describePruned('path', FROM_BYZANTIUM),
);
