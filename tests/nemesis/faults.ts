/** The faults of the nemesis, as data: each resolves once it is over and what it hurt has been healed. */
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../simulate/machine/random.ts';
import { isAlive, untilGone, type StackProcess } from '../support/running-stack.ts';
import { SERVICES, type HurtServer, type Installation } from './installation.ts';

/** A fault that has been chosen, with everything that is random about it. */
export interface Fault {
  readonly name: string;
  /** The parts that it hurts: no two faults hurt one part at the same time. */
  readonly parts: readonly string[];
  readonly strike: () => Promise<void>;
}

const SHORTEST_MS = 500;
const LONGEST_MS = 6_000;
const LATENCY_MS = 300;
const DRIP_KB_S = 4;
const READY_WITHIN_MS = 90_000;

/** Chooses the next fault. */
export function nextFault(installation: Installation, random: Random): Fault {
  const kind = random.pick([...SERVICES, 'gateway', 'gateway'] as const);
  const at = random.below(kind === 'gateway' ? installation.gateways.length : 1);
  const name = `${kind}-${at + 1}`;
  const server = random.pick(installation.servers);
  const lasts = random.between(SHORTEST_MS, LONGEST_MS);
  const full = random.below(installation.gateways.length);
  const found = (): StackProcess => installation.processes(kind)[at]!;
  const ofProcess = (fault: string, strike: () => Promise<void>): Fault => ({
    name: `${fault} ${kind}`,
    parts: [name],
    strike,
  });
  const ofServer = (fault: string, strike: () => Promise<void>): Fault => ({
    name: `${fault} ${server.name}`,
    parts: [server.name],
    strike,
  });
  return random.pick([
    ofProcess('kill', () => endAndWait(found(), 'SIGKILL')),
    ofProcess('restart', () => endAndWait(found(), 'SIGTERM')),
    ofProcess('pause', () => pause(found().pid, lasts)),
    ofServer('pause', async () => {
      await server.pause();
      await sleep(lasts);
      server.resume();
    }),
    ofServer('restart', () => endServer(server)),
    ofServer('cut off', () => cutOff(server, lasts)),
    ofServer('half open', () => poison(server, lasts, { type: 'timeout', attributes: { timeout: 0 } })),
    ofServer('slow', () =>
      poison(server, lasts, { type: 'latency', attributes: { latency: LATENCY_MS, jitter: LATENCY_MS } }),
    ),
    ofServer('drip', () => poison(server, lasts, { type: 'bandwidth', attributes: { rate: DRIP_KB_S } })),
    { name: 'pause node', parts: ['node'], strike: () => pause(installation.stack.file().node.pid, lasts) },
    {
      name: 'full disk',
      parts: [`gateway-${full + 1}`],
      strike: () => fillDisk(installation.gateways[full]!.pid, lasts),
    },
  ]);
}

/** Restarts every gateway, one after the other, as a deployment does. */
export function rollingDeploy(installation: Installation): Fault {
  return {
    name: 'rolling deploy of gateways',
    parts: installation.gateways.map((_, at) => `gateway-${at + 1}`),
    async strike() {
      for (const gateway of installation.gateways) await endAndWait(gateway, 'SIGTERM');
    },
  };
}

/** Ends a process, which the stack starts again, and waits until it is ready. */
async function endAndWait({ pid, url }: StackProcess, signal: NodeJS.Signals): Promise<void> {
  process.kill(pid, signal);
  await untilGone([pid]);
  for (const end = Date.now() + READY_WITHIN_MS; !(await isReady(url)); await sleep(50))
    if (Date.now() > end) throw new Error(`the process at ${url} did not become ready again`);
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  return answer?.ok === true;
}

async function pause(pid: number, lasts: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await sleep(lasts);
  if (isAlive(pid)) process.kill(pid, 'SIGCONT');
}

/** Kills it where its data outlives that: MongoDB's test server has no journal. */
async function endServer(server: HurtServer): Promise<void> {
  if (server.name !== 'mongodb') await server.kill();
  await server.restart();
}

async function cutOff({ proxy }: HurtServer, lasts: number): Promise<void> {
  const { listen, upstream } = proxy;
  await proxy.update({ enabled: false, listen, upstream });
  await sleep(lasts);
  await proxy.update({ enabled: true, listen, upstream });
}

interface Poison {
  readonly type: 'timeout' | 'latency' | 'bandwidth';
  readonly attributes: object;
}

async function poison({ proxy }: HurtServer, lasts: number, { type, attributes }: Poison): Promise<void> {
  const toxic = await proxy.addToxic({
    name: type,
    type,
    stream: 'downstream',
    toxicity: 1,
    attributes: attributes as never,
  });
  await sleep(lasts);
  await toxic.remove();
}

async function fillDisk(pid: number, lasts: number): Promise<void> {
  const setFileSize = (soft: string): void =>
    void execFileSync('prlimit', ['--pid', String(pid), `--fsize=${soft}:unlimited`]);
  setFileSize('0');
  await sleep(lasts);
  if (isAlive(pid)) setFileSize('unlimited');
}
