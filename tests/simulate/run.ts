/** One run: an installation, its clients and its nemesis, from a seed. */
import { mkdtempSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Broker } from './broker.ts';
import { checkAlways, checkAtEnd } from './checker.ts';
import { Clients } from './clients.ts';
import { Customers } from './customers.ts';
import { openGateway, openMetering, openOrders } from './fleet.ts';
import { Ledger } from './ledger.ts';
import type { Machine } from './machine/machine.ts';
import { Network } from './machine/network.ts';
import { Nemesis } from './nemesis.ts';
import { checkOrders } from './order-checker.ts';
import { PLANTS } from './plants.ts';
import { openStore } from './store.ts';
import { Traders } from './traders.ts';

/** Result of a run. */
export interface RunResult {
  readonly broken: readonly string[];
  /** The digest of all events. */
  readonly trace: string;
  /** Milliseconds that were simulated. */
  readonly simulatedMs: number;
  readonly events: number;
  /** Faults by name, and answers by status. */
  readonly faults: Readonly<Record<string, number>>;
  readonly answers: Readonly<Record<string, number>>;
  readonly starts: number;
}

const MINUTE = 60_000;
const METERING_GROUPS = [
  ['metering', 'usage.recorded'],
  ['metering-orders', 'orders.received'],
] as const;

/** Runs a seed for some simulated time. @param plant the name of a planted fault */
export async function runSeed(machine: Machine, lastMs: number, plant?: string): Promise<RunResult> {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'hindsight-simulate-'));
  try {
    return await run(machine, folder, lastMs, plant);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(
  machine: Machine,
  folder: string,
  lastMs: number,
  plantName: string | undefined,
): Promise<RunResult> {
  const plant = plantName === undefined ? undefined : PLANTS[plantName];
  const network = new Network(machine);
  const broker = new Broker(machine, network);
  const store = await openStore(machine, network, join(folder, 'store'), plant);
  const customers = new Customers(machine, network, store.server);
  const broken: string[] = [];
  const onFault = (fault: string): void => void broken.push(fault);
  const deps = { machine, network, broker, store, customers, folder, plant, onFault };
  const gateways = ['gateway-1', 'gateway-2'].map((name) => openGateway(name, deps));
  const metering = ['metering-1', 'metering-2'].map((name) => openMetering(name, deps));
  const orders = ['orders-1', 'orders-2'].map((name) => openOrders(name, deps));
  const places = [...gateways, ...metering, ...orders];
  const ledger = new Ledger();
  const clients = new Clients({ machine, network, customers, gateways, ledger });
  const note = (outcome: string): void => ledger.note(outcome);
  const traders = new Traders({ machine, network, orders, note });
  const nemesis = new Nemesis({ machine, network, places, broker, store });
  const checked = { store, broker, customers, ledger };

  for (const place of places) place.start();
  clients.start();
  traders.start();
  nemesis.start();
  while (machine.now < lastMs && broken.length === 0) {
    await machine.run(Math.min(machine.now + MINUTE, lastMs));
    broken.push(...(await checkAlways(checked)));
  }
  clients.stop();
  traders.stop();
  nemesis.stop();
  const isAllHandled = (): boolean =>
    METERING_GROUPS.every(([group, topic]) => broker.hasHandledAll(group, topic));
  if (broken.length === 0) {
    // Twice, because a stop in the middle of the faults may have left usage on disk.
    for (let round = 0; round < 2; round++) {
      for (const gateway of gateways) if (!gateway.isUp) gateway.start();
      // Longer than any pause that is still on.
      await machine.run(machine.now + (round === 0 ? 100_000 : 20_000));
      for (const gateway of gateways) gateway.stop();
      await machine.run(machine.now + MINUTE, () => gateways.every(({ isUp }) => !isUp));
    }
    await machine.run(machine.now + 5 * MINUTE, isAllHandled);
    if (!isAllHandled()) broken.push('events on the bus were not handled within 5 minutes');
    broken.push(...(await checkAtEnd(checked)), ...(await checkOrders({ broker, store, traders })));
  }
  for (const place of places) place.kill(false);
  for (const { process } of [broker.server, store.server]) machine.kill(process);
  return {
    broken,
    trace: machine.trace,
    simulatedMs: machine.now,
    events: machine.events,
    faults: nemesis.done,
    answers: ledger.outcomes,
    starts: places.reduce((sum, { starts }) => sum + starts, 0),
  };
}
