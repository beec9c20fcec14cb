/** The processes of an installation: gateways with a disk each, metering, and orders on one store. */
import { createBus } from '@hindsight/bus/create-bus.ts';
import type { Bus } from '@hindsight/bus/port.ts';
import type { Topics } from '@hindsight/events/topics.ts';
import { TOPICS } from '@hindsight/events/topics.ts';
import { createGateway, type GatewayDeps } from '@hindsight/gateway/service.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger, type Logger } from '@hindsight/kernel/logger.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { createOrders } from '@hindsight/orders/service.ts';
import { createMetering } from '@hindsight/metering/service.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { join } from 'node:path';
import type { Broker } from './broker.ts';
import { Process, type Machine } from './machine/machine.ts';
import type { Network } from './machine/network.ts';
import type { Plant } from './plants.ts';
import type { Store } from './store.ts';
import type { Customers } from './customers.ts';
import { createService } from './service-behind.ts';

export interface Deps {
  readonly machine: Machine;
  readonly network: Network;
  readonly broker: Broker;
  readonly store: Store;
  readonly customers: Customers;
  readonly folder: string;
  readonly plant: Plant | undefined;
  /** Called with something that must never happen. */
  readonly onFault: (fault: string) => void;
}

const START_AGAIN_MS = 5_000;

/** True if a faulty disk or store explains the error. */
function isTransient(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return error instanceof StoreUnavailable || code === 'ENOSPC' || code === 'ERR_SQLITE_ERROR';
}

/** Starts one process; its lifecycle ends it. */
type Start = (platform: Platform, bus: Bus, dataDir: string) => Promise<HttpServer | undefined>;

/** A place of the installation: one process at a time, on one disk. */
export class Place {
  readonly name: string;
  readonly #deps: Deps;
  readonly #start: Start;
  readonly #disk: string;
  readonly #logger: Logger;
  process: Process;
  /** Takes requests. */
  app: HttpServer | undefined;
  starts = 0;
  #lifecycle: Lifecycle | undefined;

  /** @param disk the name of its folder; its own by default */
  constructor(name: string, deps: Deps, start: Start, disk = name) {
    this.name = name;
    this.#disk = disk;
    this.#deps = deps;
    this.#start = start;
    this.#logger = createLogger({ name, level: 'silent' });
    this.process = new Process(name);
    this.process.alive = false;
  }

  get isUp(): boolean {
    return this.process.alive;
  }

  /** Starts a new process. One that fails to start is killed and started again later. */
  start(): void {
    const { machine } = this.#deps;
    const process = new Process(this.name);
    this.process = process;
    this.starts++;
    machine.as(process, () => {
      this.#open(process).catch((error: unknown) => this.#failed(process, error));
    });
  }

  async #open(process: Process): Promise<void> {
    const { machine, broker, folder, plant } = this.#deps;
    const logger = this.#logger;
    const lifecycle = createLifecycle(logger);
    this.#lifecycle = lifecycle;
    const clock = { now: () => machine.wallClock(process) };
    const log = broker.connect();
    const bus = createBus<Topics>(plant?.log?.(log, machine.random) ?? log, {
      topics: TOPICS,
      logger,
      clock,
    });
    lifecycle.onStop('bus', () => bus.close());
    const platform = { logger, clock, ids: { next: () => machine.random.uuid() }, lifecycle };
    const app = await this.#start(platform, bus, join(folder, this.#disk));
    await app?.ready();
    this.app = app;
  }

  /** Restarts it, as an orchestrator does. An error that no disk or store explains is a bug, and fails the run. */
  #failed(process: Process, error: unknown): void {
    const { machine, onFault } = this.#deps;
    if (!isTransient(error)) onFault(`${this.name} could not start: ${String(error)}`);
    machine.as(machine.world, () => {
      machine.kill(process);
      machine.after(START_AGAIN_MS, () => {
        if (!this.isUp) this.start();
      });
    });
  }

  kill(powerCut: boolean): void {
    this.app = undefined;
    this.#deps.machine.kill(this.process, powerCut);
  }

  /** Shuts it down as SIGTERM does. */
  stop(): void {
    const { machine } = this.#deps;
    const { process } = this;
    this.app = undefined;
    const stopping = machine.as(process, () => this.#lifecycle?.shutdown('SIGTERM') ?? Promise.resolve(0));
    void stopping.then(() => machine.kill(process));
  }
}

export function openGateway(name: string, deps: Deps): Place {
  const { customers, machine } = deps;
  return new Place(name, deps, async (platform, bus, dataDir) => {
    const service = createService(machine);
    const upstreams: GatewayDeps['upstreams'] = {
      balance: service,
      tokens: service,
      holders: service,
      orders: service,
    };
    return createGateway({
      ...platform,
      projects: customers.lookup,
      bus,
      usage: deps.store.usage,
      dataDir,
      upstreams,
      secret: 'a secret of the simulation',
    });
  });
}

export function openMetering(name: string, deps: Deps): Place {
  return new Place(name, deps, async (platform, bus) => {
    const { usage, progress, alerts } = deps.store;
    createMetering({
      ...platform,
      usage,
      progress,
      bus,
      alerting: { alerts, projects: deps.customers },
    });
    return undefined;
  });
}

/** All instances of orders share the embedded store of one machine. */
export function openOrders(name: string, deps: Deps): Place {
  const chains = new Map([['eth-mainnet', { name: 'eth-mainnet', chainId: 1 }]]);
  const start: Start = async (platform, bus, dataDir) => {
    const { app } = await createOrders({
      ...platform,
      bus,
      busCheck: { name: 'bus', check: async () => 'answers' },
      networks: [],
      chains,
      store: { dataDir },
    });
    return app;
  };
  return new Place(name, deps, start, 'orders');
}
