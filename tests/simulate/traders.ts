/** Senders, which repeat each order until it is taken, and followers of the stream of orders. */
import { orderMaker, type OrderToSend } from '../support/orders/signed-orders.ts';
import type { Place } from './place.ts';
import { exchange } from './http.ts';
import type { Machine } from './machine/machine.ts';
import type { Network } from './machine/network.ts';
import type { Pace } from './pace.ts';

interface Deps {
  readonly machine: Machine;
  readonly pace: Pace;
  readonly network: Network;
  readonly orders: readonly Place[];
  readonly note: (outcome: string) => void;
}

const DAY = 86_400_000;
/** Orders of all runs by the midnight that they are dated, and their nonce: to sign one takes longer than to send it. */
const made = new Map<number, (nonce: number) => OrderToSend>();

/** An order that is valid for a day from the next midnight. */
function orderAt(now: number, nonce: number): OrderToSend {
  const dated = Math.ceil(now / DAY) * DAY;
  const make = made.get(dated) ?? keepOrders(orderMaker(dated));
  made.set(dated, make);
  return make(nonce);
}

function keepOrders(make: (nonce: bigint) => OrderToSend): (nonce: number) => OrderToSend {
  const kept: OrderToSend[] = [];
  return (nonce) => (kept[nonce] ??= make(BigInt(nonce)));
}

const PATH = '/v1/eth-mainnet/orders';
/** The project of all orders. */
export const TRADER = 'trader';
const HEADERS = { 'x-hindsight-project': TRADER };
const SEND_PATIENCE_MS = 2_000;
const AGAIN_MS = 5_000;
/** A follower leaves after this much busy time, and resumes from its last event. */
const FOLLOW_MS = 60_000;

export class Traders {
  /** Ids of the orders that were sent, and of those that were answered with 201. */
  readonly sent = new Set<string>();
  readonly taken = new Set<string>();
  readonly followers: readonly Follower[];
  readonly #deps: Deps;
  readonly #paceMs: number;
  /** Requests that have no answer yet. */
  open = 0;
  #isStopped = false;
  #nonce = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#paceMs = deps.machine.random.between(2_000, 30_000);
    this.followers = [new Follower(deps), new Follower(deps)];
  }

  start(): void {
    const { machine, pace } = this.#deps;
    const next = (): void => {
      if (this.#isStopped) return;
      const order = orderAt(machine.wallClock(), this.#nonce++);
      this.sent.add(order.id);
      this.#send(order);
      // A sender whose request was slow may have sent it twice.
      if (machine.random.chance(0.05)) this.#send(order);
      machine.after(pace.pause(machine.now, machine.random.about(this.#paceMs)), next);
    };
    next();
    for (const follower of this.followers) follower.start();
  }

  stop(): void {
    this.#isStopped = true;
  }

  #send(order: OrderToSend): void {
    const { machine, network, orders, note } = this.#deps;
    const { random } = machine;
    const { app, process } = random.pick(orders);
    // Once it has stopped, nothing is sent: also not what was to be sent again.
    const again = (): void =>
      void machine.after(random.about(AGAIN_MS), () => {
        if (!this.#isStopped) this.#send(order);
      });
    if (app === undefined || !process.alive) {
      note('order refused');
      return again();
    }
    const request = {
      method: 'POST',
      path: `${PATH}/dex-webhook`,
      headers: { ...HEADERS, 'content-type': 'application/json' },
      body: order.body,
      patienceMs: random.chance(0.02) ? random.about(20) : SEND_PATIENCE_MS,
    };
    this.open++;
    machine.after(network.latency(), () =>
      exchange(machine, { app, process }, request, (answer) => {
        this.open--;
        const outcome = `order ${answer?.status ?? 'without answer'}`;
        note(outcome);
        machine.note(outcome);
        if (answer === undefined || answer.status >= 500) again();
        else if (answer.status < 300) this.taken.add(order.id);
      }),
    );
  }
}

/** One event of the stream. */
export interface Seen {
  readonly sequence: number;
  readonly order: string;
}

/** Reads the whole stream, resuming at one instance or the other. */
export class Follower {
  readonly seen: Seen[] = [];
  readonly #deps: Deps;
  #lastId = '0';

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  start(): void {
    const { machine, pace, orders, note } = this.#deps;
    const { random } = machine;
    const again = (): void => void machine.after(random.about(AGAIN_MS), () => this.start());
    const { app, process } = random.pick(orders);
    if (app === undefined || !process.alive) return again();
    const headers = { ...HEADERS, 'last-event-id': this.#lastId };
    let rest = '';
    exchange(
      machine,
      { app, process },
      { path: `${PATH}/stream`, headers, patienceMs: pace.pause(machine.now, random.about(FOLLOW_MS)) },
      (answer) => {
        note(`stream ${answer?.status ?? 'left or broken'}`);
        again();
      },
      (text) => {
        const records = (rest + text).split('\n\n');
        rest = records.pop() ?? '';
        for (const record of records) this.#read(record);
      },
    );
  }

  #read(record: string): void {
    const fields = new Map(
      record.split('\n').map((line): [string, string] => {
        const colon = line.indexOf(': ');
        return [line.slice(0, colon), line.slice(colon + 2)];
      }),
    );
    const id = fields.get('id');
    if (id === undefined) return;
    this.#lastId = id;
    if (fields.get('event') !== 'order-received') return;
    const { orderHash, chainId } = JSON.parse(fields.get('data') ?? '{}') as Record<string, string>;
    this.seen.push({ sequence: Number(id.slice(id.lastIndexOf(':') + 1)), order: `${chainId}:${orderHash}` });
  }
}
