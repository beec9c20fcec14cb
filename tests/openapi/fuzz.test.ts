/** Requests made up from the document: none breaks the service, and every answer is as the document says. */
import { BALANCE_API } from '@hindsight/balance/service.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { templateOf } from '@hindsight/tools/openapi/document.ts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AS_SHIPPED } from '../truth/networks.ts';
import { startService, type Service } from '../truth/service.ts';
import { fuzzCases, tryCase } from './fuzz.ts';

const CASES = 1_000;
const SEED = 1_000_003;

let service: Service;
beforeAll(async () => {
  service = await startService((await sharedDevchain(process.env)).url, AS_SHIPPED);
});
afterAll(() => service.stop());

it('the balance service answers whatever is asked as docs/openapi.json says', async () => {
  const served = new Set(BALANCE_API.map(({ method, path }) => `${method} ${templateOf(path)}`));
  const faults: unknown[] = [];
  for (const asked of fuzzCases(served, CASES, SEED)) {
    const { fault } = await tryCase(service.url, asked);
    if (fault !== undefined) faults.push({ fault, method: asked.method, path: asked.path, body: asked.body });
  }
  expect(faults).toEqual([]);
});
