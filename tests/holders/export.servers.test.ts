import { afterAll } from '@jest/globals';
import { startChdb, type ChdbServer } from '@hindsight/tools/servers/chdb.ts';
import { isInstalled } from '@hindsight/tools/servers/install.ts';
import { describeUnless } from '@hindsight/tools/servers/suite.ts';
import { describeExports } from './export.contract.ts';

const absent = (await isInstalled('chdb')) ? [] : ['chdb is not installed: npm run servers -- install chdb'];
let server: ChdbServer | undefined;

afterAll(() => server?.stop());

describeUnless('Files of holders by ClickHouse', { absent, faults: [] }, undefined, () => {
  describeExports(async () => {
    server = await startChdb();
    const { url } = server;
    return {
      options: { clickhouseUrl: url },
      async making() {
        const query = 'SELECT uniqExact(export) FROM touched_exports_eth_mainnet FORMAT TabSeparated';
        const answer = await fetch(url, { method: 'POST', body: query });
        return Number(await answer.text());
      },
    };
  });
});
