/** Two networks over the stack, under load: one's node is killed, and the other's callers notice nothing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { makeBoundlessKey } from '../support/admin.ts';
import { killUnderLoad, type DyingNetwork } from '../support/dying-network.ts';
import { PATIENT } from '../support/machine.ts';
import { RunningStack, type StackFile } from '../support/running-stack.ts';
import { freeStackPort } from '../support/stack-port.ts';
import type { Dispatcher, Pool } from 'undici';

/** A few connections: on a slow machine questions wait here, and are not refused as too many. */
const LOAD = { perSecond: 40, seconds: 5, connections: 10 };
const QUESTIONS = LOAD.perSecond * LOAD.seconds;
/** Longer than questions wait for one another on a slow machine. */
const ANSWERED_WITHIN_MS = 600_000;
const AGAIN_AFTER_MS = 250;
/** Statuses where no node answered. */
const NO_NODE = ['502', '503', '504'];

/** The status of an answer, 0 for none. A gateway whose own store is slow is asked again: that says nothing of a network. */
async function statusOf(pool: Pool, request: Dispatcher.RequestOptions): Promise<number> {
  try {
    for (;;) {
      const signal = AbortSignal.timeout(ANSWERED_WITHIN_MS);
      const { statusCode, body } = await pool.request({ ...request, signal });
      const text = await body.text();
      if (statusCode !== 503 || !text.includes('"store_unavailable"')) return statusCode;
      await sleep(AGAIN_AFTER_MS);
    }
  } catch {
    return 0;
  }
}

await describeOnServers('Two networks', { env: process.env, own: ['kafka', 'mongodb', 'redis'] }, () => {
  let stack: RunningStack;
  let file: StackFile;
  let key: string;
  let outcome: DyingNetwork;

  beforeAll(async () => {
    stack = new RunningStack(await freeStackPort(), ['--networks', '2'], PATIENT);
    await stack.untilReady();
    file = stack.file();
    key = await makeBoundlessKey(file.env);
  });
  afterAll(() => stack.stop());

  const ask = async (path: string): Promise<{ status: number; body: Record<string, unknown> }> => {
    const response = await fetch(file.gateway[0]!.url + path, { headers: { 'x-api-key': key } });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  /** Repeats what a busy machine's nodes and stores were too slow for. @returns the body */
  const untilAnswered = async (path: string): Promise<Record<string, unknown>> => {
    let found: Awaited<ReturnType<typeof ask>> | undefined;
    await until(`${path} is answered`, async () => (found = await ask(path)).status === 200);
    return found!.body;
  };
  const partsOf = async (url: string) => {
    const response = await fetch(`${url}/readyz`);
    const { parts } = (await response.json()) as { parts: { name: string; ok: boolean }[] };
    const nodes = parts.filter(({ name }) => name.startsWith('ethereum node'));
    return { status: response.status, nodes: nodes.map(({ name, ok }) => ({ name, ok })) };
  };

  it('are served by all processes of the stack', async () => {
    const { networks } = await untilAnswered('/v1/networks');
    expect(networks).toMatchObject([{ network_name: 'eth-mainnet' }, { network_name: 'base-mainnet' }]);
    for (const path of ['token', 'balance/native?holder=0x' + 'aa'.repeat(20)])
      for (const network of ['eth-mainnet', 'base-mainnet']) await untilAnswered(`/v1/${network}/${path}`);
    expect(await ask('/v1/op-mainnet/token')).toMatchObject({
      status: 404,
      body: { message: 'The network op-mainnet is not served here; served: eth-mainnet, base-mainnet' },
    });
  });

  it('answer while the node of one is killed, except that one', async () => {
    const kill = (): void => void process.kill(file.networks['base-mainnet']!.pid, 'SIGKILL');
    outcome = await killUnderLoad({ url: file.gateway[0]!.url, key, kill, ask: statusOf, ...LOAD });
    const { before, after } = outcome;
    expect([before.survivor.statuses, before.victim.statuses]).toEqual([
      { 200: QUESTIONS },
      { 200: QUESTIONS },
    ]);
    expect(after.survivor.statuses).toEqual({ 200: QUESTIONS });
    expect(NO_NODE).toEqual(expect.arrayContaining(Object.keys(after.victim.statuses)));
  });

  it('stay ready, with a line that says which one is unavailable', async () => {
    const { url } = file.balance[0]!;
    const nodes = [
      { name: 'ethereum node of eth-mainnet', ok: true },
      { name: 'ethereum node of base-mainnet', ok: false },
    ];
    const expected = JSON.stringify({ status: 200, nodes });
    await until('the check has failed', async () => JSON.stringify(await partsOf(url)) === expected);
  });

  it('are labels of the metrics of nodes', async () => {
    const available = (network: string, text: string): string | undefined =>
      new RegExp(`^hindsight_node_available\\{.*hindsight_network="${network}".*\\} (\\d)`, 'm').exec(
        text,
      )?.[1];
    await until('one is available, one is not', async () => {
      const text = await (await fetch(file.balance[0]!.metrics)).text();
      return available('eth-mainnet', text) === '1' && available('base-mainnet', text) === '0';
    });
  });
});
