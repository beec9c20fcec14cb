/** The nodes in `/readyz`. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN } from '@hindsight/devchain/world.ts';
import { startHostileNode, type HostileNode } from '@hindsight/chain/test/support/hostile-node.ts';
import { runBalance, type RunningBalance } from './support/run-balance.ts';

const SECRETS = ['user', 'hunter2', 'a-key-in-the-path'];
let devchain: Devchain;
let first: HostileNode;
let second: HostileNode;
let balance: RunningBalance;

beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
  [first, second] = await Promise.all([startHostileNode(devchain.url), startHostileNode(devchain.url)]);
  const withSecrets = ({ url }: HostileNode): string =>
    `${url.replace('http://', `http://${SECRETS[0]}:${SECRETS[1]}@`)}/v2/${SECRETS[2]}`;
  balance = await runBalance([withSecrets(first), withSecrets(second)]);
});
afterAll(async () => {
  await balance.stop();
  await Promise.all([first.close(), second.close(), devchain.stop()]);
});

interface Part {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Waits until the check of the nodes is as described. */
async function expectNodes(ok: boolean, ...lines: readonly RegExp[]): Promise<void> {
  const deadline = performance.now() + 600_000;
  for (;;) {
    const { status, body } = await balance.ask('/readyz');
    const part = (body.parts as Part[]).find(({ name }) => name === 'ethereum node');
    for (const secret of SECRETS) expect(JSON.stringify(body)).not.toContain(secret);
    if (part?.ok === ok && lines.every((line) => line.test(part.detail))) {
      expect(status).toBe(ok ? 200 : 503);
      return;
    }
    if (performance.now() > deadline) throw new Error(`readyz says ${JSON.stringify(body)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('/readyz', () => {
  const host = ({ url }: HostileNode): string => new URL(url).host;

  it('shows each node’s state, with no more than its host', async () => {
    await expectNodes(
      true,
      new RegExp(`^head ${CHAIN.head}; `),
      new RegExp(`node 1 \\(${host(first)}\\): ok at ${CHAIN.head}`),
      new RegExp(`node 2 \\(${host(second)}\\): ok at ${CHAIN.head}`),
    );
  });

  it('is ready while one node answers, and names the one that does not', async () => {
    first.behave({ kind: 'reset' });
    await expectNodes(true, new RegExp(`node 1 \\(${host(first)}\\): (down|trial)`), /node 2 .*: ok at/);
  });

  it('is not ready when none does', async () => {
    second.behave({ kind: 'status', status: 500 });
    await expectNodes(false, /node 1 .*: (down|trial)/, /node 2 .*: (down|trial)/);
  });

  it('shows a lagging node', async () => {
    first.behave({ distorts: true, kind: 'lag', blocks: 40 });
    second.behave(undefined);
    await expectNodes(true, new RegExp(`node 1 .*: lagging at ${CHAIN.head - 40}, 40 behind`));
  });
});
