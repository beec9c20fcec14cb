/** Clients: they ask gateways over HTTP, one after another or many at once, and write down what they were answered. */
import { keyAccount } from '@hindsight/usage/key-account.ts';
import { request as httpRequest } from 'node:http';
import { duplexPair } from 'node:stream';
import type { Customer, Customers } from './customers.ts';
import type { Place } from './fleet.ts';
import { monthAt, type Ledger } from './ledger.ts';
import type { Machine, Process } from './machine/machine.ts';
import type { Network } from './machine/network.ts';

interface Deps {
  readonly machine: Machine;
  readonly network: Network;
  readonly customers: Customers;
  readonly gateways: readonly Place[];
  readonly ledger: Ledger;
}

/** An operation with the most that it may cost. */
const OPERATIONS = [
  { path: '/v1/eth-mainnet/balance/single', units: 1 },
  { path: '/v1/eth-mainnet/block', units: 1 },
  { path: '/v1/eth-mainnet/portfolio', units: 5 },
] as const;
/** A client leaves after this long, if it is a patient one. */
const PATIENT_MS = 30_000;
const HASTY_MS = 50;
/** Requests at once, now and then. */
const BURST = 20;

export class Clients {
  readonly #deps: Deps;
  readonly #paceMs: number;
  #isStopped = false;
  underWay = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#paceMs = deps.machine.random.between(1_000, 20_000);
  }

  start(): void {
    const { machine } = this.#deps;
    const { random } = machine;
    const next = (): void => {
      if (this.#isStopped) return;
      const count = random.chance(0.05) ? random.below(BURST) + 1 : 1;
      for (let i = 0; i < count; i++) this.#ask();
      machine.after(random.about(this.#paceMs), next);
    };
    next();
  }

  stop(): void {
    this.#isStopped = true;
  }

  #ask(): void {
    const { machine, network, customers, gateways, ledger } = this.#deps;
    const { random } = machine;
    const customer = random.pick(customers.all);
    const operation = random.pick(OPERATIONS);
    const place = random.pick(gateways);
    machine.after(network.latency(), () => {
      const { app, process } = place;
      if (app === undefined || !process.alive) return ledger.note('refused');
      this.#send({ customer, operation, process, server: app.server });
    });
  }

  #send({ customer, operation, process, server }: Sent): void {
    const { machine, ledger } = this.#deps;
    const { random } = machine;
    const [ours, theirs] = duplexPair();
    const begun = machine.wallClock(process);
    const skew = process.skewMs;
    let isOver = false;
    this.underWay++;
    const end = (outcome: string, note: (units: number) => void, units: number): void =>
      machine.as(machine.world, () => {
        if (isOver) return;
        isOver = true;
        this.underWay--;
        process.onKill.delete(cut);
        leaving.cancelled = true;
        ledger.note(outcome);
        machine.note(`${customer.id} ${outcome} ${units}`);
        note(units);
      });
    const monthsTill = (): Set<string> => {
      const months = new Set([monthAt(begun), monthAt(machine.wallClock(process))]);
      if (process.skewMs !== skew) for (const month of MONTHS) months.add(month);
      return months;
    };
    const each = (note: (asked: Parameters<Ledger['answered']>[0]) => void) => (units: number) => {
      const months = monthsTill();
      note({ account: customer.id, units, months });
      if (customer.cap !== null) note({ account: keyAccount(customer.id, 'default'), units, months });
    };
    const fail = (): void =>
      end(
        'no answer',
        each((asked) => ledger.uncertain(asked)),
        operation.units,
      );
    const cut = (): void => {
      ours.destroy();
      theirs.destroy();
      fail();
    };
    const patience = random.chance(0.02) ? random.about(HASTY_MS) : PATIENT_MS;
    const leaving = machine.after(patience, cut);
    process.onKill.add(cut);
    machine.as(process, () =>
      server.emit('connection', Object.assign(theirs, { remoteAddress: '192.0.2.1' })),
    );
    const asked = httpRequest({
      path: operation.path,
      headers: { host: 'simulated', 'x-api-key': customer.secret },
      createConnection: () => ours,
    });
    asked.on('error', fail);
    asked.on('response', (answer) => {
      answer.on('error', fail);
      answer.on('end', () => {
        const cost = Number(answer.headers['x-units'] ?? 0);
        end(
          String(answer.statusCode),
          each((one) => ledger.answered(one)),
          cost,
        );
        ours.destroy();
        theirs.destroy();
      });
      answer.resume();
    });
    asked.end();
  }
}

interface Sent {
  readonly customer: Customer;
  readonly operation: (typeof OPERATIONS)[number];
  readonly process: Process;
  readonly server: NonNullable<Place['app']>['server'];
}

/** All months that a run may touch. */
export const MONTHS = ['2026-11', '2026-12'] as const;
