/** A short run of `npm run faults`, which runs for hours. */
import { expect, it } from '@jest/globals';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { onInstallation, runSeed } from './run.ts';

const SECONDS = 15;

await describeOnServers(
  'the whole system',
  { env: process.env, own: ['kafka', 'mongodb', 'redis', 'toxiproxy'] },
  () => {
    it('keeps its promises under faults, two at a time, and while gateways are deployed', async () => {
      await onInstallation(async (installation, watch) => {
        const { seen, faults, broken } = await runSeed(installation, watch, { seed: 1, seconds: SECONDS });
        process.stdout.write(`nemesis: ${JSON.stringify({ seen, faults })}\n`);
        expect(broken).toEqual([]);
        expect(Object.keys(faults)).toContain('rolling deploy of gateways');
        expect(seen.deploy).toMatchObject({ failed: 0 });
        for (const count of [seen.reads, seen.taken, seen.limited.charged, seen.deploy.asked])
          expect(count).toBeGreaterThan(0);
      });
    });
  },
);
