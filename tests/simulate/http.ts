/** HTTP between simulated clients and processes, over connections within the machine. */
import type { HttpServer } from '@hindsight/http/types.ts';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { duplexPair } from 'node:stream';
import type { Machine, Process } from './machine/machine.ts';

/** A request, and how long its client waits. */
export interface Request {
  readonly method?: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly patienceMs: number;
}

/** A whole answer. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A process that takes requests. */
export interface Listening {
  readonly process: Process;
  readonly app: HttpServer;
  /** The client's address. */
  readonly from?: string;
}

/**
 * Sends a request. Calls `onEnd` once, as the machine's world: with the answer, or with undefined when the connection breaks,
 * the process is killed, or the client leaves.
 * @param onData called with each part of the body as it comes
 */
export function exchange(
  machine: Machine,
  { process, app, from = '192.0.2.1' }: Listening,
  { method = 'GET', path, headers, body, patienceMs }: Request,
  onEnd: (answer: Answer | undefined) => void,
  onData: (text: string) => void = () => undefined,
): void {
  const [ours, theirs] = duplexPair();
  let isOver = false;
  const end = (answer?: Answer): void => {
    if (isOver) return;
    isOver = true;
    process.onKill.delete(cut);
    leaving.cancelled = true;
    ours.destroy();
    theirs.destroy();
    machine.as(machine.world, () => onEnd(answer));
  };
  const cut = (): void => end();
  const leaving = machine.after(patienceMs, cut, machine.world);
  process.onKill.add(cut);
  const connection = Object.assign(theirs, { remoteAddress: from });
  machine.as(process, () => app.server.emit('connection', connection));
  const asked = httpRequest({
    method,
    path,
    headers: { host: 'simulated', ...headers },
    createConnection: () => ours,
  });
  asked.on('error', cut);
  asked.on('response', (answer: IncomingMessage) => {
    let text = '';
    answer.setEncoding('utf8');
    answer.on('data', (part: string) => {
      text += part;
      if (!isOver) machine.as(machine.world, () => onData(part));
    });
    answer.on('error', cut);
    answer.on('end', () => end({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }));
  });
  asked.end(body);
}
