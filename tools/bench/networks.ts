/**
 * Two networks under a steady load, the node of one killed: what the callers of the other notice, in one process, over the
 * stack, and through a gateway with a process for each network (`npm run bench networks PER_SECOND`).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { makeBoundlessKey } from '../../tests/support/admin.ts';
import { startHindsight } from '../../tests/support/hindsight-process.ts';
import { runProcessPerNetwork } from '../../tests/support/process-per-network.ts';
import { killUnderLoad, type Answers, type DyingNetwork } from '../../tests/support/dying-network.ts';
import { RunningStack } from '../../tests/support/running-stack.ts';
import { freeStackPort } from '../../tests/support/stack-port.ts';
import { startChain } from '../stack/networks.ts';

/** Questions a second about each network, unless the command line has another number. */
const PER_SECOND = 100;
const LOAD = { perSecond: Number(process.argv[3] ?? PER_SECOND), seconds: 20 };

export async function run(): Promise<void> {
  show('one process', await inOneProcess());
  show('stack', await overTheStack());
  show('process each', await inProcessesOfTheirOwn());
}

async function inOneProcess(): Promise<DyingNetwork> {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'hindsight-networks-'));
  const [eth, base] = await Promise.all([startDevchain(), startChain('base-mainnet')]);
  const settings = { DATA_DIR, ETH_RPC_URL: eth.url, BASE_RPC_URL: base.url, TOKENS_INDEX: 'off' };
  const running = await startHindsight({ ...settings, LOG_LEVEL: 'error' });
  try {
    const key = await makeBoundlessKey({ DATA_DIR });
    return await killUnderLoad({ url: running.url, key, kill: base.stop, ...LOAD });
  } finally {
    await running.end('SIGTERM');
    await Promise.all([eth.stop(), base.stop()]);
    rmSync(DATA_DIR, { recursive: true, force: true });
  }
}

async function overTheStack(): Promise<DyingNetwork> {
  const stack = new RunningStack(await freeStackPort(), ['--networks', '2']);
  try {
    await stack.untilReady();
    const { gateway, networks, env } = stack.file();
    const [{ url } = { url: '' }] = gateway;
    const kill = (): void => void process.kill(networks['base-mainnet']!.pid, 'SIGKILL');
    return await killUnderLoad({ url, key: await makeBoundlessKey(env), kill, ...LOAD });
  } finally {
    await stack.stop();
  }
}

async function inProcessesOfTheirOwn(): Promise<DyingNetwork> {
  const [eth, base] = await Promise.all([startDevchain(), startChain('base-mainnet')]);
  try {
    const running = await runProcessPerNetwork({
      'eth-mainnet': { ETH_RPC_URL: eth.url },
      'base-mainnet': { BASE_RPC_URL: base.url },
    });
    try {
      return await killUnderLoad({ ...running, kill: base.stop, ...LOAD });
    } finally {
      await running.stop();
    }
  } finally {
    await Promise.all([eth.stop(), base.stop()]);
  }
}

function show(where: string, { before, after }: DyingNetwork): void {
  const line = (what: string, { statuses, p50, p99 }: Answers): void => {
    const counts = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
    console.log(
      `${where.padEnd(12)} ${what.padEnd(30)} p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms  ${counts.join(', ')}`,
    );
  };
  line('eth-mainnet, both alive', before.survivor);
  line('base-mainnet, both alive', before.victim);
  line('eth-mainnet, the other killed', after.survivor);
  line('base-mainnet, killed', after.victim);
}
