/**
 * Followers of the stream of orders, in a process of their own: it says when all follow, and answers a list of orders and
 * their times with what arrived of them, and how late.
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
/** Beyond the places of one address. */
const PER_ADDRESS = 100;
/** The data of an event begins with it; the payload has the hash as well, before another field. */
const ORDER = /"orderHash":"(0x[0-9a-f]{64})","receivedAt"/g;
/** Longer than what is looked for. */
const TAIL = 120;

const seen: Map<string, number>[] = [];
let missed = 0;

function follow(url: string, key: string, at: number): Promise<void> {
  const arrived = new Map<string, number>();
  seen.push(arrived);
  const { hostname, port } = new URL(url);
  const localAddress = `127.0.0.${2 + Math.floor(at / PER_ADDRESS)}`;
  return new Promise((begun, failed) => {
    const asked = request(
      { hostname, port, path: PATH, localAddress, headers: { 'x-api-key': key } },
      (answer) => {
        if (answer.statusCode !== 200) return failed(new Error(`answered ${answer.statusCode}`));
        let tail = '';
        answer.setEncoding('latin1');
        answer.on('data', (chunk: string) => {
          const now = machineTime();
          const text = tail + chunk;
          let end = 0;
          for (const { 1: hash, index, 0: whole } of text.matchAll(ORDER)) {
            if (arrived.has(hash!)) twice++;
            arrived.set(hash!, now);
            end = index + whole.length;
          }
          tail = text.slice(Math.max(end, text.length - TAIL));
          begun();
        });
      },
    );
    asked.on('error', failed);
    asked.end();
  });
}

let twice = 0;

function compare({ taken }: ToCompare): Followed {
  const delays: number[] = [];
  for (const arrived of seen)
    for (const [hash, at] of taken) {
      const then = arrived.get(hash);
      if (then === undefined) missed++;
      else delays.push(then - at);
    }
  const sorted = Float64Array.from(delays).sort();
  return {
    ...{ events: sorted.length, missed, twice },
    ...{ p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) },
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
