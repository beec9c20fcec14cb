/**
 * Followers of the stream of orders, in a process of their own. It reports when all follow; sent the orders and the times of
 * their answers, it replies with the delays of their events, and those missed or repeated.
 */
import { request } from 'node:http';
import { machineTime } from '../../../tests/support/orders/steady-load.ts';
import { quantile } from '../../../tests/support/steady-load.ts';

/** Sent to it first. */
export interface ToFollow {
  readonly url: string;
  /** One for each follower. */
  readonly keys: readonly string[];
}

/** Sent to it at the end: orders by their hashes, with the time of their answer. */
export interface ToCompare {
  readonly taken: readonly (readonly [hash: string, at: number])[];
}

/** Its answer. Milliseconds from the 201 to the event, over all orders and followers. */
export interface Followed {
  readonly events: number;
  readonly missed: number;
  readonly twice: number;
  readonly p50: number;
  readonly p99: number;
}

const PATH = '/v1/eth-mainnet/orders/stream';
/** A gateway serves 128 streams to one address. */
const PER_ADDRESS = 100;
/** The data of an event begins with it; the payload has the hash as well, before another field. */
const ORDER = /"orderHash":"(0x[0-9a-f]{64})","receivedAt"/g;
/** Longer than a match of it. */
const TAIL = 120;

/** The events of one follower: when each order arrived, by its hash, and how many came again. */
interface Follower {
  readonly arrived: Map<string, number>;
  twice: number;
}

const followers: Follower[] = [];

function follow(url: string, key: string, at: number): Promise<void> {
  const follower: Follower = { arrived: new Map(), twice: 0 };
  followers.push(follower);
  const { hostname, port } = new URL(url);
  const localAddress = `127.0.0.${2 + Math.floor(at / PER_ADDRESS)}`;
  const options = { hostname, port, path: PATH, localAddress, headers: { 'x-api-key': key } };
  return new Promise((resolve, reject) => {
    const asked = request(options, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`answered ${answer.statusCode}`));
      let tail = '';
      answer.setEncoding('latin1');
      answer.on('data', (chunk: string) => {
        tail = note(follower, tail + chunk);
        resolve();
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** Notes the orders in some text of the stream. @returns its end, in which the next order may have begun */
function note(follower: Follower, text: string): string {
  const { arrived } = follower;
  const now = machineTime();
  let end = 0;
  for (const { 1: hash, index, 0: whole } of text.matchAll(ORDER)) {
    if (arrived.has(hash!)) follower.twice++;
    arrived.set(hash!, now);
    end = index + whole.length;
  }
  return text.slice(Math.max(end, text.length - TAIL));
}

function compare({ taken }: ToCompare): Followed {
  const delays = followers.flatMap(({ arrived }) =>
    taken.flatMap(([hash, at]) => {
      const then = arrived.get(hash);
      return then === undefined ? [] : [then - at];
    }),
  );
  const sorted = Float64Array.from(delays).sort();
  return {
    events: sorted.length,
    missed: followers.length * taken.length - sorted.length,
    twice: followers.reduce((sum, { twice }) => sum + twice, 0),
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
  };
}

process.on('message', (message: ToFollow | ToCompare) => {
  if ('taken' in message) {
    process.send!(compare(message), undefined, undefined, () => process.exit(0));
    return;
  }
  void Promise.all(message.keys.map((key, at) => follow(message.url, key, at))).then(() =>
    process.send!('all follow'),
  );
});
