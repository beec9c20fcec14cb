/** The faults of the nemesis, as data: each resolves once it is over and what it hurt has been healed. */
import { setJoined, type ServerProxy } from '@hindsight/tools/servers/toxiproxy.ts';
import { KINDS } from '@hindsight/tools/stack/services.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../simulate/machine/random.ts';
import { setFileSize } from '../support/file-size.ts';
import { isReady } from '../support/is-ready.ts';
import { isAlive, untilGone, type StackProcess } from '../support/running-stack.ts';
import type { HurtServer, Installation } from './installation.ts';

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
const READY_WITHIN_MS = 180_000;

/** Chooses the next fault. */
export function nextFault(installation: Installation, random: Random): Fault {
  const { gateway: gateways } = installation.stack.file();
  const kind = random.pick([...KINDS, 'gateway'] as const);
  const at = random.below(kind === 'gateway' ? gateways.length : 1);
  const name = `${kind}-${at + 1}`;
  const server = random.pick(installation.servers);
  const { proxy } = server;
  const lasts = random.between(SHORTEST_MS, LONGEST_MS);
  const full = random.below(gateways.length);
  // Read at the time of the fault: a restart changes the id.
  const found = (): StackProcess => installation.stack.file()[kind][at]!;
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
    killServer(server),
    ...(proxy === undefined
      ? []
      : [
          ofServer('cut off', () => cutOff(proxy, lasts)),
          ofServer('half open', () => poison(proxy, lasts, { type: 'timeout', attributes: { timeout: 0 } })),
          ofServer('slow', () =>
            poison(proxy, lasts, {
              type: 'latency',
              attributes: { latency: LATENCY_MS, jitter: LATENCY_MS },
            }),
          ),
          ofServer('drip', () =>
            poison(proxy, lasts, { type: 'bandwidth', attributes: { rate: DRIP_KB_S } }),
          ),
        ]),
    {
      name: 'full disk',
      parts: [`gateway-${full + 1}`],
      strike: () => fillDisk(installation.stack.file().gateway[full]!.pid, lasts),
    },
  ]);
}

/** Kills a server and starts it again; of a cluster, a primary, whose replica has taken over before. */
export function killServer(server: HurtServer): Fault {
  return {
    name: `kill ${server.name}`,
    parts: [server.name],
    strike: () => server.kill().then(() => server.restart()),
  };
}

/** Restarts every gateway, one after the other, as a deployment does. */
export function rollingDeploy(installation: Installation): Fault {
  const { gateway: gateways } = installation.stack.file();
  return {
    name: 'rolling deploy of gateways',
    parts: gateways.map((_, at) => `gateway-${at + 1}`),
    async strike() {
      for (const gateway of gateways) await endAndWait(gateway, 'SIGTERM');
    },
  };
}

/** Ends a process, which the stack starts again, and waits until it is ready. */
async function endAndWait({ pid, url }: StackProcess, signal: NodeJS.Signals): Promise<void> {
  send(pid, signal);
  await untilGone([pid]);
  for (const end = Date.now() + READY_WITHIN_MS; !(await isReady(url)); await sleep(50))
    if (Date.now() > end) throw new Error(`the process at ${url} did not become ready again`);
}

/** Sends a signal, unless the process has ended by itself: the stack starts another. */
function send(pid: number, signal: NodeJS.Signals): void {
  if (isAlive(pid)) process.kill(pid, signal);
}

async function pause(pid: number, lasts: number): Promise<void> {
  send(pid, 'SIGSTOP');
  await sleep(lasts);
  send(pid, 'SIGCONT');
}

async function cutOff(proxy: ServerProxy, lasts: number): Promise<void> {
  await setJoined(proxy, false);
  await sleep(lasts);
  await setJoined(proxy, true);
}

interface Poison {
  readonly type: 'timeout' | 'latency' | 'bandwidth';
  readonly attributes: object;
}

async function poison(proxy: ServerProxy, lasts: number, { type, attributes }: Poison): Promise<void> {
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
  const setSize = (size: number | 'unlimited'): void => {
    if (isAlive(pid)) setFileSize(pid, size);
  };
  setSize(0);
  await sleep(lasts);
  setSize('unlimited');
}
