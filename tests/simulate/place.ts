/** A place of the installation, where one process after another runs. */
import { createBus } from '@hindsight/bus/create-bus.ts';
import type { Bus } from '@hindsight/bus/port.ts';
import { TOPICS, type Topics } from '@hindsight/events/topics.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { join } from 'node:path';
import type { Broker } from './broker.ts';
import { Process, type Machine } from './machine/machine.ts';
import { platformOf } from './platform.ts';
import type { Plant } from './plants.ts';

export interface PlaceDeps {
  readonly machine: Machine;
  readonly broker: Broker;
  readonly folder: string;
  readonly plant: Plant | undefined;
  /** Called with something that must never happen. */
  readonly onFault: (fault: string) => void;
}

const START_AGAIN_MS = 5_000;

/** True if a faulty disk or store explains the error. */
export function isTransient(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return error instanceof StoreUnavailable || code === 'ENOSPC' || code === 'ERR_SQLITE_ERROR';
}

/** Starts one process; its lifecycle ends it. */
export type Start = (platform: Platform, bus: Bus, dataDir: string) => Promise<HttpServer | undefined>;

/** A place of the installation: one process at a time, on one disk. */
export class Place {
  readonly name: string;
  readonly #deps: PlaceDeps;
  readonly #start: Start;
  readonly #disk: string;
  process: Process;
  /** Takes requests. */
  app: HttpServer | undefined;
  /** It has started. */
  isReady = false;
  starts = 0;
  #lifecycle: Lifecycle | undefined;

  /** @param disk the name of its folder; its own by default */
  constructor(name: string, deps: PlaceDeps, start: Start, disk = name) {
    this.name = name;
    this.#disk = disk;
    this.#deps = deps;
    this.#start = start;
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
    const platform = platformOf(machine, process);
    const { logger, clock, lifecycle } = platform;
    this.#lifecycle = lifecycle;
    const log = broker.connect();
    const bus = createBus<Topics>(plant?.log?.(log, machine.random) ?? log, {
      topics: TOPICS,
      logger,
      clock,
    });
    lifecycle.onStop('bus', () => bus.close());
    const app = await this.#start(platform, bus, join(folder, this.#disk));
    await app?.ready();
    if (this.process !== process) return;
    this.app = app;
    this.isReady = true;
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
    this.isReady = false;
    this.#deps.machine.kill(this.process, powerCut);
  }

  /** Shuts it down as SIGTERM does. */
  stop(): void {
    const { machine } = this.#deps;
    const { process } = this;
    this.app = undefined;
    this.isReady = false;
    const stopping = machine.as(process, () => this.#lifecycle?.shutdown('SIGTERM') ?? Promise.resolve(0));
    void stopping.then(() => machine.kill(process));
  }
}
