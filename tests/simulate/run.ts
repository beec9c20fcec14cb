/** One run: an installation, its clients and its nemesis, from a seed. */
import { mkdtempSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Broker } from './broker.ts';
import { Chain, SECONDS_PER_BLOCK } from './chain/blocks.ts';
import { ChainNode } from './chain/node.ts';
import { checkAlerts } from './check-alerts.ts';
import { checkAwake } from './check-awake.ts';
import { checkTokens } from './check-tokens.ts';
import { checkAlways, checkAtEnd } from './checker.ts';
import { Clients } from './clients.ts';
import { createCustomers } from './customers.ts';
import { openBalance, openGateway, openMetering, openOrders, openTokens } from './fleet.ts';
import { Ledger } from './ledger.ts';
import type { Machine } from './machine/machine.ts';
import { Network } from './machine/network.ts';
import { Nemesis } from './nemesis.ts';
import { checkOrders, haveReadAll } from './order-checker.ts';
import type { Pace } from './pace.ts';
import { checkKeys } from './portal/check-keys.ts';
import { checkMails } from './portal/check-mails.ts';
import { MailServer } from './portal/mail-server.ts';
import { openPortal, PORTAL_FOLDER } from './portal/open-portal.ts';
import { People } from './portal/people.ts';
import type { Place } from './place.ts';
import { PLANTS } from './plants.ts';
import { drawQuestion } from './questions.ts';
import { openStore } from './store.ts';
import { TokenList } from './token-list.ts';
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
/** Share of blocks that replace another one. */
const REPLACES = 0.03;
const SETTLED_WITHIN_MS = 5 * MINUTE;
const METERING_GROUPS = [
  ['metering', 'usage.recorded'],
  ['metering-orders', 'orders.received'],
] as const;

/** Runs a seed for some simulated time. @param plant the name of a planted fault */
export async function runSeed(machine: Machine, pace: Pace, plant?: string): Promise<RunResult> {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'hindsight-simulate-'));
  try {
    return await run(machine, pace, folder, plant);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(
  machine: Machine,
  pace: Pace,
  folder: string,
  plantName: string | undefined,
): Promise<RunResult> {
  const plant = plantName === undefined ? undefined : PLANTS[plantName];
  const network = new Network(machine);
  const broker = new Broker(machine, network);
  const store = await openStore(machine, network, join(folder, 'store'), plant);
  const { server } = store;
  const dataDir = join(folder, PORTAL_FOLDER);
  const customers = await createCustomers({ machine, network, server, dataDir, lastMs: pace.end });
  const ledger = new Ledger();
  const note = (outcome: string): void => ledger.note(outcome);
  const mail = new MailServer(machine, network, note);
  const chain = new Chain(machine.random, Math.floor(machine.wallClock() / 1000));
  const nodes = ['node-1', 'node-2'].map((name) => new ChainNode(name, { machine, network, chain, plant }));
  const broken: string[] = [];
  const onFault = (fault: string): void => void broken.push(fault);
  const common = { machine, pace, network, broker, store, customers, nodes };
  const deps = { ...common, folder, mail, plant, onFault };
  const balance = ['balance-1', 'balance-2'].map((name) => openBalance(name, deps));
  const tokens = ['tokens-1', 'tokens-2'].map((name) => openTokens(name, deps));
  const gateways = ['gateway-1', 'gateway-2'].map((name) => openGateway(name, { balance, tokens }, deps));
  const metering = ['metering-1', 'metering-2'].map((name) => openMetering(name, deps));
  const orders = ['orders-1', 'orders-2'].map((name) => openOrders(name, deps));
  const portals = ['portal-1', 'portal-2'].map((name) => openPortal(name, deps));
  const portalPlaces = portals.map(({ place }) => place);
  const places = [...gateways, ...metering, ...orders, ...balance, ...tokens, ...portalPlaces];
  const list = new TokenList(chain);
  const draw = () => drawQuestion({ machine, chain, list, busyUntil: () => nemesis.busyUntil });
  const clients = new Clients({
    machine,
    pace,
    network,
    customers,
    gateways,
    ledger,
    draw,
    onFalsehood: onFault,
  });
  const traders = new Traders({ machine, pace, network, orders, note });
  const servers = [broker.server, store.server, mail.server];
  const nemesis = new Nemesis({ machine, pace, network, places, store, servers, nodes, chain });
  const { people: all } = customers;
  const busyUntil = (): number => nemesis.busyUntil;
  const people = new People({
    ...common,
    portals,
    gateways,
    people: all,
    busyUntil,
    note,
    onFalsehood: onFault,
  });
  const checked = { store, broker, customers, ledger };

  for (const place of places) place.start();
  clients.start();
  traders.start();
  people.start();
  nemesis.start();
  keepGrowing(machine, chain, nodes);
  while (machine.now < pace.end && broken.length === 0) {
    await machine.run(Math.min(pace.nextLook(machine.now), pace.end));
    broken.push(...(await checkAlways(checked)));
  }
  clients.stop();
  traders.stop();
  people.stop();
  const settledFrom = nemesis.stop();
  if (broken.length === 0) {
    const isAllHandled = (): boolean =>
      METERING_GROUPS.every(([group, topic]) => broker.hasHandledAll(group, topic));
    await machine.run(settledFrom);
    await machine.settle(SETTLED_WITHIN_MS, () => bringUp(places));
    await machine.settle(SETTLED_WITHIN_MS, () => haveReadAll(broker, traders));
    await machine.settle(SETTLED_WITHIN_MS, () => people.open === 0);
    broken.push(...(await checkAwake(machine, balance)), ...(await checkTokens({ machine, list, tokens })));
    broken.push(...(await checkKeys({ machine, people, gateways })));
    // Twice, because a stop in the middle of the faults may have left usage on disk.
    for (let round = 0; round < 2; round++) {
      await machine.settle(MINUTE, () => bringUp(gateways));
      for (const gateway of gateways) gateway.stop();
      await machine.settle(MINUTE, () => gateways.every(({ isUp }) => !isUp));
    }
    await machine.settle(SETTLED_WITHIN_MS, isAllHandled);
    if (!isAllHandled()) broken.push('events on the bus were not handled within 5 minutes');
    broken.push(...(await checkAtEnd(checked)), ...(await checkOrders({ broker, store, traders })));
    const clocksAgree = nemesis.done['clock jump'] === undefined;
    broken.push(...(await checkAlerts({ machine, ...checked, clocksAgree })));
    await machine.settle(SETTLED_WITHIN_MS, () => broker.hasHandledAll('portal-alerts', 'usage.threshold'));
    broken.push(...checkMails(broker, mail));
  }
  for (const place of places) place.kill(false);
  for (const { process } of servers) machine.kill(process);
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

/** Starts the processes that are down. @returns true once all have started */
function bringUp(places: readonly Place[]): boolean {
  for (const place of places) if (!place.isUp) place.start();
  return places.every(({ isReady }) => isReady);
}

/** Adds a block every 12 seconds, to one or another branch. */
function keepGrowing(machine: Machine, chain: Chain, nodes: readonly ChainNode[]): void {
  const grow = (): void => {
    chain.grow(Math.floor(machine.wallClock() / 1000), machine.random.chance(REPLACES) ? 1 : 0);
    for (const node of nodes) node.hear();
    machine.after(1000 * SECONDS_PER_BLOCK, grow);
  };
  machine.after(1000 * SECONDS_PER_BLOCK, grow);
}
