/** Visibility of dependencies at the public port. */
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { expect, it } from '@jest/globals';
import { startGatewayWorld } from './support/gateway-world.ts';

const REASON = 'connect ECONNREFUSED 10.1.2.3:27017';
const logged: string[] = [];
let there = true;

const check = async (): Promise<string> => {
  if (!there) throw new Error(REASON);
  return 'answers';
};
const world = forAllTests(
  () => startGatewayWorld({ logTo: logged, checks: [{ name: 'mongodb', check }] }),
  'close',
);

const readiness = async (): Promise<unknown> => {
  const response = await fetch(`${world.url}/readyz`);
  return { status: response.status, body: await response.json() };
};
/** A report is kept for a second. */
const reportExpired = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 1_100));
const parts = (ok: boolean, detail: string) => [
  { name: 'mongodb', ok, detail },
  { name: 'usage spool', ok: true, detail: 'writable' },
];

it('names no host of a failing part, and logs the cause once per outage', async () => {
  for (let times = 1; times <= 2; times++) {
    there = true;
    await reportExpired();
    expect(await readiness()).toEqual({
      status: 200,
      body: { status: 'ready', parts: parts(true, 'answers') },
    });
    there = false;
    await reportExpired();
    for (let asked = 0; asked < 3; asked++)
      expect(await readiness()).toEqual({
        status: 503,
        body: { status: 'not ready', parts: parts(false, 'not reachable') },
      });
    expect(logged.filter((line) => line.includes(REASON))).toHaveLength(times);
  }
});
