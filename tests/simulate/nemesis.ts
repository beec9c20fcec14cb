/** Causes faults at random, some at the same time, and counts them. */
import type { Broker } from './broker.ts';
import type { Place } from './fleet.ts';
import type { Machine } from './machine/machine.ts';
import type { Network } from './machine/network.ts';
import type { Store } from './store.ts';

interface Deps {
  readonly machine: Machine;
  readonly network: Network;
  readonly places: readonly Place[];
  readonly broker: Broker;
  readonly store: Store;
}

const SECOND = 1_000;
/** The longest that a fault lasts. */
const LONGEST_MS = 90 * SECOND;
const CLOCK_JUMP_MS = 120 * SECOND;

export class Nemesis {
  readonly done: Record<string, number> = {};
  readonly #deps: Deps;
  readonly #meanMs: number;
  #isStopped = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#meanMs = deps.machine.random.between(10 * SECOND, 240 * SECOND);
  }

  start(): void {
    const { machine } = this.#deps;
    const next = (): void => {
      if (this.#isStopped) return;
      this.#strike();
      machine.after(machine.random.about(this.#meanMs), next);
    };
    machine.after(machine.random.about(this.#meanMs), next);
  }

  /** Ends all faults, and starts the processes that are down. */
  stop(): void {
    const { places, network, broker, store } = this.#deps;
    this.#isStopped = true;
    network.heal();
    const processes = [broker.server, store.server, ...places].map(({ process }) => process);
    for (const process of processes)
      Object.assign(process, { pausedUntil: 0, diskFull: false, diskErrors: 0 });
    for (const place of places) if (!place.isUp) place.start();
  }

  #strike(): void {
    const { machine, network, places, broker, store } = this.#deps;
    const { random } = machine;
    const place = random.pick(places);
    const server = random.pick([broker.server.process, store.server.process]);
    const until = (): number => machine.now + random.between(10, random.pick([SECOND, LONGEST_MS]));
    const faults: Record<string, () => void> = {
      kill: () => this.#restart(place, () => place.kill(false)),
      'power cut': () => this.#restart(place, () => place.kill(true)),
      stop: () => this.#restart(place, () => place.stop()),
      pause: () => void (place.process.pausedUntil = until()),
      cut: () => network.cut(place.process, server, until()),
      'server down': () => network.takeDown(server, until()),
      'server hangs': () => void (server.pausedUntil = until()),
      'lost messages': () => {
        network.loss = random.between(0.01, 0.3);
        machine.after(until() - machine.now, () => void (network.loss = 0));
      },
      'clock jump': () => void (place.process.skewMs += random.between(-CLOCK_JUMP_MS, CLOCK_JUMP_MS)),
      'disk errors': () => {
        const process = random.pick([store.server.process, place.process]);
        process.diskErrors = random.between(0.05, 0.5);
        machine.after(until() - machine.now, () => void (process.diskErrors = 0));
      },
      'full disk': () => {
        const { process } = place;
        process.diskFull = true;
        machine.after(until() - machine.now, () => void (process.diskFull = false));
      },
    };
    const name = random.pick(Object.keys(faults));
    this.done[name] = (this.done[name] ?? 0) + 1;
    machine.note(name);
    faults[name]!();
  }

  #restart(place: Place, end: () => void): void {
    const { machine } = this.#deps;
    if (!place.isUp) return;
    end();
    const startWhenDown = (): void => {
      if (this.#isStopped) return;
      if (place.isUp) return void machine.after(SECOND, startWhenDown);
      place.start();
    };
    machine.after(machine.random.about(10 * SECOND), startWhenDown);
  }
}
