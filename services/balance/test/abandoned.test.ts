/** An abandoned question costs the nodes nothing further. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { startHostileNode, type HostileNode } from '@hindsight/chain/test/support/hostile-node.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { runBalance, type RunningBalance } from './support/run-balance.ts';

const NATIVE = `/v1/eth-mainnet/balance/native?holder=`;
const { alice, bob } = HOLDERS;
const DEADLINE_MS = 300;
/** Far longer than any test: what ends sooner has been aborted. */
const NODE_TIMEOUT_MS = 60_000;

let devchain: Devchain;
let node: HostileNode;
let balance: RunningBalance;

beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
});
afterAll(() => devchain.stop());
beforeEach(async () => {
  node = await startHostileNode(devchain.url);
  balance = await runBalance(node.url, { timeoutMs: NODE_TIMEOUT_MS, deadlineMs: DEADLINE_MS });
});
afterEach(async () => {
  await balance.stop();
  await node.close();
});

const height = CHAIN.head - 70;
const about: [what: string, path: string][] = [
  ['a block that was never seen', `${NATIVE}${alice}&block_height=${height}`],
  ['the latest block', NATIVE + alice],
  ['a date', `${NATIVE}${alice}&date=2023-08-26T16:21:35Z`],
  ['a name', `${NATIVE}alice.eth&block_height=${height}`],
  [
    'an allowance',
    `/v1/eth-mainnet/allowance/single?token_address=${TOKENS.uni.address}&owner=${alice}&spender=${bob}`,
  ],
];

describe('a question', () => {
  it.each(about)('about %s is abandoned at its deadline', async (_what, path) => {
    node.behave({ kind: 'hang' });
    expect((await balance.ask(path)).status).toBe(504);
    await until('the node is idle', () => node.underWay === 0);
  });

  it.each(about)('about %s is abandoned when its client leaves', async (_what, path) => {
    await balance.stop();
    balance = await runBalance(node.url, { timeoutMs: NODE_TIMEOUT_MS, deadlineMs: NODE_TIMEOUT_MS });
    node.behave({ kind: 'hang' });
    const client = new AbortController();
    const asked = fetch(balance.url + path, { signal: client.signal });
    await until('the node is asked', () => node.underWay === 1);
    client.abort();
    await expect(asked).rejects.toThrow();
    await until('the node is idle', () => node.underWay === 0);
  });

  it('that other clients ask too continues for them', async () => {
    await balance.stop();
    balance = await runBalance(node.url, { timeoutMs: NODE_TIMEOUT_MS, deadlineMs: NODE_TIMEOUT_MS });
    const hasLeft = Promise.withResolvers<void>();
    node.behave({ kind: 'held', until: hasLeft.promise });
    const client = new AbortController();
    const path = `${NATIVE}${alice}&block_height=${height}`;
    const left = fetch(balance.url + path, { signal: client.signal });
    await until('the node is asked', () => node.underWay === 1);
    const [same, sameBlock] = [balance.ask(path), balance.ask(`${NATIVE}${bob}&block_height=${height}`)];
    await new Promise((resolve) => setTimeout(resolve, 100));
    client.abort();
    await expect(left).rejects.toThrow();
    hasLeft.resolve();
    expect([(await same).status, (await sameBlock).status]).toEqual([200, 200]);
  });

  it('of many steps takes no further step after its deadline', async () => {
    const date = `${NATIVE}alice.eth&date=2023-08-26T16:21:35Z`;
    node.behave({ kind: 'slow', ms: DEADLINE_MS / 2 });
    expect((await balance.ask(date)).status).toBe(504);
    await until('the node is idle', () => node.underWay === 0);
    const before = node.requests;
    await new Promise((resolve) => setTimeout(resolve, 3 * DEADLINE_MS));
    expect(node.requests).toBe(before);
  });

  it('that was abandoned can be asked again', async () => {
    const path = `${NATIVE}${alice}&block_height=${height}`;
    node.behave({ kind: 'hang' });
    expect((await balance.ask(path)).status).toBe(504);
    node.behave(undefined);
    let status = 0;
    await until('the question is answered', async () => (status = (await balance.ask(path)).status) === 200);
    expect(status).toBe(200);
  });
});
