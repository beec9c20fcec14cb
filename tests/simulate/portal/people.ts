/** People at the portal, who also use their keys at the gateways. */
import { exchange } from '../http.ts';
import type { Machine } from '../machine/machine.ts';
import type { Network } from '../machine/network.ts';
import type { Pace } from '../pace.ts';
import type { Place } from '../place.ts';
import { visit, type Portal } from './desk.ts';
import type { Person } from './person.ts';
import { falsehoodIn, type End, type Secret } from './secrets.ts';

interface Deps {
  readonly machine: Machine;
  readonly pace: Pace;
  readonly network: Network;
  readonly portals: readonly Portal[];
  readonly gateways: readonly Place[];
  readonly people: readonly Person[];
  /** The moment until which a fault or what it left behind may last. */
  readonly busyUntil: () => number;
  readonly note: (outcome: string) => void;
  /** Called with a broken promise. */
  readonly onFalsehood: (falsehood: string) => void;
}

const ERRAND_MS = 15_000;
const USE_MS = 20_000;
/** A key that has ended is refused as soon as a portal has looked for changes, besides slow messages. */
const SOON_MS = { busy: 5_000, withQuietHours: 35_000 };
/** A gateway that has heard of no change forgets a key in fifteen minutes of its clock, which may jump. */
const LATE_MS = 20 * 60_000;
const PATIENT_MS = 20_000;
const PATH = `/v1/eth-mainnet/orders/0x${'22'.repeat(32)}`;

export class People {
  readonly #deps: Deps;
  #isStopped = false;
  /** Errands that have no answer yet. */
  open = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  get all(): readonly Person[] {
    return this.#deps.people;
  }

  start(): void {
    for (const person of this.#deps.people) {
      this.#again(ERRAND_MS, () => this.#run(person));
      this.#use(person);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Shows a key at a gateway. @param onAnswer told what is false about the answer; not called if it claims nothing */
  show(
    { key, at, isKnown }: { key: Secret; at: Place; isKnown: (end: End, askedAt: number) => boolean },
    onAnswer: (falsehood: string | undefined) => void,
    onNothing: () => void = () => undefined,
  ): void {
    const { machine } = this.#deps;
    const { app, process } = at;
    if (app === undefined || !process.alive) return onNothing();
    const askedAt = machine.now;
    const before = this.#clocks(at);
    const request = { path: PATH, headers: { 'x-api-key': key.text }, patienceMs: PATIENT_MS };
    exchange(machine, { app, process, from: '192.0.2.99' }, request, (answer) => {
      if (answer === undefined || answer.status === 429 || answer.status >= 500) return onNothing();
      const after = this.#clocks(at);
      const isRefused = answer.status === 401 || answer.status === 403;
      const clocks = { least: Math.min(before.own, after.own), most: Math.max(before.most, after.most) };
      onAnswer(falsehoodIn(key, { isRefused, clocks, isKnown: (end) => isKnown(end, askedAt) }));
    });
  }

  #clocks({ process }: Place): { own: number; most: number } {
    const { machine, portals } = this.#deps;
    const own = machine.wallClock(process);
    // Portals remove what has ended by their clocks.
    const others = portals.map(({ place }) => machine.wallClock(place.process));
    return { own, most: Math.max(own, machine.wallClock(machine.world), ...others) };
  }

  #again(meanMs: number, run: () => void): void {
    const { machine, pace } = this.#deps;
    machine.after(pace.pause(machine.now, machine.random.about(meanMs)), () => {
      if (!this.#isStopped) run();
    });
  }

  #run(person: Person): void {
    const { machine, network, portals, note, onFalsehood } = this.#deps;
    const { name, work, changes } = person.draw();
    const certain = changes.filter(({ isUncertain }) => !isUncertain);
    for (const secret of certain) secret.isUncertain = true;
    this.open++;
    visit({
      machine,
      network,
      portal: machine.random.pick(portals),
      work,
      onFault: onFalsehood,
      onEnd: (outcome) => {
        this.open--;
        const isKnown = outcome !== 'unknown';
        note(`portal ${isKnown ? (outcome === 'nothing' ? 'refused' : 'answers') : 'broke off'}`);
        machine.note(`${person.id} ${name} ${typeof outcome === 'string' ? outcome : 'done'}`);
        if (isKnown) for (const secret of certain) secret.isUncertain = false;
        else if (person.key?.isUncertain === true) person.key = undefined;
        const falsehood = typeof outcome === 'string' ? undefined : outcome.value();
        if (typeof falsehood === 'string') onFalsehood(`${person.id}, ${name}: ${falsehood}`);
        this.#again(ERRAND_MS, () => this.#run(person));
      },
    });
  }

  #use(person: Person): void {
    const { machine, pace, gateways, note, onFalsehood, busyUntil } = this.#deps;
    const isKnown = ({ toldAt }: End, askedAt: number): boolean =>
      askedAt > toldAt + (busyUntil() < toldAt ? SOON_MS[pace.kind] : LATE_MS);
    this.#again(USE_MS, () => {
      this.#use(person);
      const { random } = machine;
      const key = person.key !== undefined && random.chance(0.5) ? person.key : random.pick(person.keys);
      const at = random.pick(gateways);
      this.show({ key, at, isKnown }, (falsehood) => {
        note('key shown');
        if (falsehood !== undefined) onFalsehood(`${at.name}: a key of ${person.id} was ${falsehood}`);
      });
    });
  }
}
