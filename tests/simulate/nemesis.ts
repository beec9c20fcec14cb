/** Causes faults at random, some at the same time, and counts them. */
import type { Chain } from './chain/blocks.ts';
import type { ChainNode } from './chain/node.ts';
import type { Place } from './place.ts';
import type { Machine } from './machine/machine.ts';
import type { Network, Server } from './machine/network.ts';
import type { Pace } from './pace.ts';
import type { Store } from './store.ts';

interface Deps {
  readonly machine: Machine;
  readonly pace: Pace;
  readonly network: Network;
  readonly places: readonly Place[];
  readonly store: Store;
  /** All servers but the nodes'. */
  readonly servers: readonly Server[];
  readonly nodes: readonly ChainNode[];
  readonly chain: Chain;
}

const SECOND = 1_000;
/** The longest that a fault lasts. */
const LONGEST_MS = 90 * SECOND;
const CLOCK_JUMP_MS = 120 * SECOND;

/** Whatever a fault left under way ends within this time after it. */
const AFTERMATH_MS = 40 * SECOND;
const DEEPEST_REORGANISATION = 4;
/** Share of faults that strike in the hour after the moment that clients' work sets for them. */
const LATE_SHARE = 0.1;
const LATEST_MS = 3_600 * SECOND;

export class Nemesis {
  readonly done: Record<string, number> = {};
  /** The moment until which a fault, or what it left behind, may last. */
  busyUntil = 0;
  readonly #deps: Deps;
  readonly #meanMs: number;
  #isStopped = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#meanMs = deps.machine.random.between(5 * SECOND, 90 * SECOND);
  }

  start(): void {
    const { machine, pace } = this.#deps;
    const { random } = machine;
    const strike = (): void => {
      if (!this.#isStopped) this.#strike();
    };
    const plan = (): void => {
      const next = (): void => {
        if (random.chance(LATE_SHARE)) machine.after(random.between(0, LATEST_MS), strike);
        else strike();
        plan();
      };
      machine.after(pace.pause(machine.now, random.about(this.#meanMs)), next);
    };
    plan();
  }

  /**
   * Ends all faults but pauses, and starts the processes that are down.
   * @returns the moment at which no process is paused any more
   */
  stop(): number {
    const { places, network, nodes } = this.#deps;
    this.#isStopped = true;
    network.heal();
    const servers = [...this.#deps.servers, ...nodes.map(({ server }) => server)];
    const processes = [...servers, ...places].map(({ process }) => process);
    for (const process of processes) Object.assign(process, { diskFull: false, diskErrors: 0 });
    for (const node of nodes) node.heal();
    const awakeAt = Math.max(this.#deps.machine.now, ...processes.map(({ pausedUntil }) => pausedUntil));
    for (const place of places) if (!place.isUp) place.start();
    return awakeAt;
  }

  #strike(): void {
    const { machine, network, places, store, servers, nodes, chain } = this.#deps;
    const { random } = machine;
    const place = random.pick(places);
    const node = random.pick(nodes);
    const server = random.pick([...servers, node.server]).process;
    const busyFor = (milliseconds: number): number => {
      const end = machine.now + milliseconds;
      this.busyUntil = Math.max(this.busyUntil, end + AFTERMATH_MS);
      return end;
    };
    const until = (): number => busyFor(random.between(10, random.pick([SECOND, LONGEST_MS])));
    busyFor(0);
    const faults: Record<string, () => void> = {
      kill: () => this.#restart(place, () => place.kill(false)),
      'power cut': () => this.#restart(place, () => place.kill(true)),
      stop: () => this.#restart(place, () => place.stop()),
      pause: () => place.process.pauseUntil(until()),
      cut: () => network.cut(place.process, server, until()),
      'server down': () => network.takeDown(server, until()),
      'server hangs': () => server.pauseUntil(until()),
      'lost messages': () => {
        network.loss = random.between(0.01, 0.3);
        machine.after(until() - machine.now, () => void (network.loss = 0));
      },
      'clock jump': () => {
        place.process.skewMs += random.between(-CLOCK_JUMP_MS, CLOCK_JUMP_MS);
        busyFor(CLOCK_JUMP_MS);
      },
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
    const ofNodes: Record<string, () => void> = {
      'node stuck': () => {
        node.isStuck = true;
        machine.after(until() - machine.now, () => node.heal());
      },
      'node splits': () => {
        node.splits = true;
        machine.after(until() - machine.now, () => node.heal());
      },
      'broken answers': () => {
        node.breaks = random.between(0.05, 0.5);
        machine.after(until() - machine.now, () => node.heal());
      },
      reorganisation: () => {
        chain.grow(Math.floor(machine.wallClock() / 1000), 1 + random.below(DEEPEST_REORGANISATION));
        for (const one of nodes) one.hear();
      },
    };
    Object.assign(faults, ofNodes);
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
