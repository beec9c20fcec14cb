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
/** Comes once in the data of an event, right behind the hash of its order; the payload's own is before another field. */
const BEHIND_HASH = '","receivedAt"';
const HASH_LENGTH = 66;
/** Longer than a hash and the text behind it. */
const TAIL = 120;

/** The events of one follower: when each order arrived, by its number, and how many came again. */
interface Follower {
  readonly arrived: number[];
  twice: number;
}

/** Numbers of the orders, by their hashes: a million events share the few hashes of their orders. */
const numbers = new Map<string, number>();

function numberOf(hash: string): number {
  const known = numbers.get(hash);
  if (known !== undefined) return known;
  numbers.set(hash, numbers.size);
  return numbers.size - 1;
}

const followers: Follower[] = [];

function follow(url: string, key: string, at: number): Promise<void> {
  const follower: Follower = { arrived: [], twice: 0 };
  followers.push(follower);
  const { hostname, port } = new URL(url);
  const localAddress = `127.0.0.${2 + Math.floor(at / PER_ADDRESS)}`;
  const options = { hostname, port, path: PATH, localAddress, headers: { 'x-api-key': key } };
  return new Promise((resolve, reject) => {
    const asked = request(options, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`answered ${answer.statusCode}`));
      let tail = Buffer.alloc(0);
      answer.on('data', (chunk: Buffer) => {
        tail = note(follower, Buffer.concat([tail, chunk]));
        resolve();
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** Notes the orders in a part of the stream. @returns a copy of its end, in which the next order may have begun */
function note(follower: Follower, part: Buffer): Buffer<ArrayBuffer> {
  const { arrived } = follower;
  const now = machineTime();
  let end = 0;
  for (let at = part.indexOf(BEHIND_HASH); at >= 0; at = part.indexOf(BEHIND_HASH, end)) {
    const number = numberOf(part.toString('latin1', at - HASH_LENGTH, at));
    if (arrived[number] !== undefined) follower.twice++;
    arrived[number] = now;
    end = at + BEHIND_HASH.length;
  }
  return Buffer.from(part.subarray(Math.max(end, part.length - TAIL)));
}

function compare({ taken }: ToCompare): Followed {
  const delays = followers.flatMap(({ arrived }) =>
    taken.flatMap(([hash, at]) => {
      const then = arrived[numberOf(hash)];
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
