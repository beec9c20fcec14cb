/** The network between simulated processes and servers: slow, lossy, cut. */
import type { Machine, Process } from './machine.ts';

/** Milliseconds of most messages, and of a few. */
const USUAL_MS = [0.2, 3] as const;
const SLOW_MS = [50, 900] as const;
const SLOW_SHARE = 0.01;
/** A caller gives up after this long. */
const GIVE_UP_MS = [1_000, 6_000] as const;
/** A server that is down refuses connections at once. */
const REFUSED_MS = 1;

/** A server, and the error of a call that it does not answer. */
export interface Server {
  readonly process: Process;
  unavailable(why: string): Error;
}

export class Network {
  /** The share of messages that are lost. */
  loss = 0;
  readonly #machine: Machine;
  readonly #cutUntil = new Map<string, number>();
  readonly #downUntil = new Map<Process, number>();

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  /** No message passes between the two before this moment. */
  cut(one: Process, other: Process, until: number): void {
    this.#cutUntil.set(`${one.name}|${other.name}`, until);
  }

  /** The server refuses all calls before this moment. */
  takeDown(server: Process, until: number): void {
    this.#downUntil.set(server, until);
  }

  /** Ends every fault. */
  heal(): void {
    this.loss = 0;
    this.#cutUntil.clear();
    this.#downUntil.clear();
  }

  /**
   * Has a server do something. Where the answer is lost it has done it nevertheless; it may even do it after its caller
   * has given up, or has died.
   */
  call<T>(server: Server, work: () => T | Promise<T>): Promise<T> {
    const machine = this.#machine;
    const caller = machine.process;
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => reject(server.unavailable(why));
      if ((this.#downUntil.get(server.process) ?? 0) > machine.now) {
        machine.after(REFUSED_MS, () => fail('connection refused'));
        return;
      }
      const late = machine.after(machine.random.between(...GIVE_UP_MS), () => fail('no answer in time'));
      const answer = (settle: () => void): void => {
        if (this.loses(server.process, caller)) return;
        const arrive = (): void => {
          late.cancelled = true;
          settle();
        };
        machine.after(this.latency(), arrive, caller);
      };
      if (this.loses(caller, server.process)) return;
      const serve = (): void => {
        Promise.resolve()
          .then(work)
          .then(
            (value) => answer(() => resolve(value)),
            (error: Error) => answer(() => reject(error)),
          );
      };
      machine.after(this.latency(), serve, server.process);
    });
  }

  /** Milliseconds that one message takes. */
  latency(): number {
    const { random } = this.#machine;
    const [from, to] = random.chance(SLOW_SHARE) ? SLOW_MS : USUAL_MS;
    return random.between(from, to);
  }

  /** True if a message sent now reaches a server at once. */
  reaches(from: Process, server: Process): boolean {
    const { now } = this.#machine;
    const isRunning = Math.max(from.pausedUntil, server.pausedUntil, this.#downUntil.get(server) ?? 0) <= now;
    return isRunning && !this.loses(from, server);
  }

  /** True if a message does not arrive. */
  loses(from: Process, to: Process): boolean {
    const { now, random } = this.#machine;
    const cut = (one: Process, other: Process): boolean =>
      (this.#cutUntil.get(`${one.name}|${other.name}`) ?? 0) > now;
    return cut(from, to) || cut(to, from) || random.chance(this.loss);
  }
}

/** A port whose adapter is on a server: each method is a call over the network. */
export function overNetwork<Port extends object>(network: Network, server: Server, adapter: Port): Port {
  return new Proxy(adapter, {
    get(target, name) {
      const method = Reflect.get(target, name) as unknown;
      if (typeof method !== 'function') return method;
      return (...values: unknown[]) =>
        network.call(server, () => Reflect.apply(method, target, values) as unknown);
    },
    ownKeys: (target) => Reflect.ownKeys(target),
  });
}
