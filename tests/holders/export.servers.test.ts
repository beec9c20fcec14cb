import { afterAll } from '@jest/globals';
import { startChdb, type ChdbServer } from '@hindsight/tools/servers/chdb.ts';
import { describeUnless, lackOf } from '@hindsight/tools/servers/suite.ts';
import { describeExports } from './export.contract.ts';

const lack = await lackOf('chdb', process.env);
// A machine that must have servers need not have this one.
const absent = [...lack.absent, ...lack.faults];
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
