/**
 * A load generator for what is faster than an HTTP client: prepared bytes over bare sockets, each connection with one
 * request at a time, and of the answers only what is needed to find their end.
 */
import { connect, type Socket } from 'node:net';
import type { LoadResult } from './load.ts';

interface LeanLoad {
  readonly url: string;
  readonly connections: number;
  readonly requests: number;
  /** The i-th request's bytes; it has no body. */
  readonly request: (i: number) => string;
  /** Called with each answer's status; by default anything but a 200 ends the run with an error. */
  readonly onStatus?: (status: number) => void;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** Sends the requests and measures. @throws {Error} for an answer that is not expected, or a connection that ends */
export async function leanLoad(options: LeanLoad): Promise<LoadResult> {
  const { url, connections, requests } = options;
  const { hostname, port } = new URL(url);
  const latencies = new Float64Array(requests);
  let next = 0;
  const run = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      let [at, begun] = [0, 0];
      const send = (): void => {
        at = next++;
        if (at >= requests) {
          socket.destroy();
          resolve();
          return;
        }
        begun = performance.now();
        socket.write(options.request(at), 'latin1');
      };
      const answered = (head: string): void => {
        latencies[at] = performance.now() - begun;
        const status = Number(head.slice(9, 12));
        if (options.onStatus !== undefined) options.onStatus(status);
        else if (status !== 200) throw new Error(`answered: ${head.slice(0, 500)}`);
        send();
      };
      socket.once('connect', send);
      readAnswers(socket, answered, reject);
    });
  const begun = performance.now();
  await Promise.all(Array.from({ length: connections }, run));
  const seconds = (performance.now() - begun) / 1000;
  latencies.sort();
  const quantile = (share: number): number => latencies[Math.floor((requests - 1) * share)] ?? 0;
  return { perSecond: requests / seconds, p50: quantile(0.5), p99: quantile(0.99) };
}

/** Finds the ends of answers with a length; fails for others. */
function readAnswers(
  socket: Socket,
  onAnswer: (head: string) => void,
  onFailure: (error: Error) => void,
): void {
  let kept: Buffer | undefined;
  socket.on('data', (chunk: Buffer) => {
    const bytes = kept === undefined ? chunk : Buffer.concat([kept, chunk]);
    kept = bytes;
    const end = bytes.indexOf(HEAD_END);
    if (end === -1) return;
    const head = bytes.toString('latin1', 0, end);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    try {
      if (length === undefined) throw new Error(`an answer without a length: ${head.slice(0, 500)}`);
      if (bytes.length < end + HEAD_END.length + Number(length)) return;
      kept = undefined;
      onAnswer(head);
    } catch (error) {
      socket.destroy();
      onFailure(error as Error);
    }
  });
  socket.once('error', onFailure);
  socket.once('end', () => onFailure(new Error('the connection ended')));
}
