/** Clients, which ask gateways over HTTP, one after another or many at once, and record the answers. */
import { limitsOf, type Customer, type Customers } from './customers.ts';
import type { Place } from './place.ts';
import { exchange, type Listening } from './http.ts';
import { monthAt, MONTHS, type Ledger } from './ledger.ts';
import type { Machine } from './machine/machine.ts';
import type { Network } from './machine/network.ts';
import type { Pace } from './pace.ts';
import type { Question } from './judge.ts';

interface Deps {
  readonly machine: Machine;
  readonly pace: Pace;
  readonly network: Network;
  readonly customers: Customers;
  readonly gateways: readonly Place[];
  readonly ledger: Ledger;
  readonly draw: () => Question;
  /** Called with an answer that is not true. */
  readonly onFalsehood: (falsehood: string) => void;
}

/** A patient client leaves after this long. */
const PATIENT_MS = 30_000;
const HASTY_MS = 50;
const HASTY_SHARE = 0.02;
/** Requests at once, now and then. */
const BURST = 20;

export class Clients {
  readonly #deps: Deps;
  readonly #paceMs: number;
  #isStopped = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#paceMs = deps.machine.random.between(1_000, 20_000);
  }

  start(): void {
    const { machine, pace } = this.#deps;
    const { random } = machine;
    const next = (): void => {
      if (this.#isStopped) return;
      const count = random.chance(0.05) ? random.below(BURST) + 1 : 1;
      for (let i = 0; i < count; i++) this.#ask();
      machine.after(pace.pause(machine.now, random.about(this.#paceMs)), next);
    };
    next();
  }

  stop(): void {
    this.#isStopped = true;
  }

  #ask(): void {
    const { machine, network, customers, gateways, ledger, draw } = this.#deps;
    const { random } = machine;
    const customer = random.pick(customers.all);
    const question = draw();
    const place = random.pick(gateways);
    machine.after(network.latency(), () => {
      const { app, process } = place;
      if (app === undefined || !process.alive) return ledger.note('refused');
      this.#send({ customer, question, to: { process, app } });
    });
  }

  #send({ customer, question, to }: Sent): void {
    const { machine, ledger, onFalsehood } = this.#deps;
    const { random } = machine;
    const { process } = to;
    const begun = machine.wallClock(process);
    const skew = process.skewMs;
    const { path, units: most, falsehoodIn } = question;
    const patienceMs = random.chance(HASTY_SHARE) ? random.about(HASTY_MS) : PATIENT_MS;
    exchange(machine, to, { path, headers: { 'x-api-key': customer.secret }, patienceMs }, (answer) => {
      const months = new Set([monthAt(begun), monthAt(machine.wallClock(process))]);
      if (process.skewMs !== skew) for (const month of MONTHS) months.add(month);
      const units = answer === undefined ? most : Number(answer.headers['x-units'] ?? 0);
      const outcome = answer === undefined ? 'no answer' : String(answer.status);
      ledger.note(falsehoodIn === undefined ? outcome : `read ${outcome}`);
      const falsehood = answer && falsehoodIn?.(answer);
      if (falsehood !== undefined) onFalsehood(`${path}: ${falsehood}`);
      machine.note(`${customer.id} ${outcome} ${units}`);
      for (const account of limitsOf(customer).keys()) {
        if (answer === undefined) ledger.uncertain({ account, units, months });
        else ledger.answered({ account, units, months });
      }
    });
  }
}

interface Sent {
  readonly customer: Customer;
  readonly question: Question;
  readonly to: Listening;
}
