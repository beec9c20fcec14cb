import { STREAM_HEADER } from '@hindsight/http/stream-name.ts';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo } from 'node:net';

/** A service of one stream of events, kept for good, which it sends as the service of orders does. */
export interface EventService {
  readonly origin: string;
  /** Of the events that come from now on. */
  source: string;
  /** Streams that are open. */
  readonly open: number;
  /** Streams that were ever opened. */
  readonly opened: number;
  /** Name of the streams that open from now on. */
  name: string;
  /** It answers no request from now on. */
  hangs: boolean;
  publish(): void;
  comment(): void;
  /** Ends all streams: after their last event, or in the middle of the next one. */
  endAll(): void;
  cutAll(): void;
  stop(): Promise<void>;
}

interface Open {
  readonly response: ServerResponse;
  sent: number;
}

/** @param cuts splits what is written, so that events come in pieces */
export async function startEventService(
  cuts: (bytes: Buffer) => readonly Buffer[] = (bytes) => [bytes],
): Promise<EventService> {
  const open = new Set<Open>();
  let [last, opened] = [0, 0];
  const send = (response: ServerResponse, text: string): void => {
    for (const piece of cuts(Buffer.from(text))) response.write(piece);
  };
  // Numbers have gaps: other networks share them.
  const sendNew = (stream: Open): void => {
    for (let sequence = stream.sent + 1; sequence <= last; sequence++)
      if (isOurs(sequence)) send(stream.response, textOf(service.source, sequence));
    stream.sent = last;
  };
  const server = createServer(LASTING, (request, response) => {
    if (service.hangs) return;
    const asked = request.headers['last-event-id'];
    const sent = typeof asked === 'string' ? Number(asked.split(':')[1]) : last;
    const stream: Open = { response, sent };
    response.writeHead(200, { 'content-type': 'text/event-stream', [STREAM_HEADER]: service.name });
    send(response, `retry: 2000\nid: ${service.source}:${sent}\n\n`);
    sendNew(stream);
    open.add(stream);
    opened++;
    response.once('close', () => open.delete(stream));
  });
  const service: EventService = {
    origin: '',
    source: '/orders/x',
    get open() {
      return open.size;
    },
    get opened() {
      return opened;
    },
    name: 'all',
    hangs: false,
    publish() {
      last++;
      for (const stream of open) sendNew(stream);
    },
    comment() {
      for (const { response } of open) send(response, ': keep-alive\n\n');
    },
    endAll() {
      for (const { response } of open) response.end();
      open.clear();
    },
    cutAll() {
      for (const { response } of open) response.write('id: /or', () => response.destroy());
      open.clear();
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(service, { origin: `http://127.0.0.1:${port}` });
}

/** True if the stream has the event of this number. */
export function isOurs(sequence: number): boolean {
  return sequence % 5 !== 0;
}

function textOf(source: string, sequence: number): string {
  return `id: ${source}:${sequence}\nevent: order-received\ndata: {"n":${sequence}}\n\n`;
}
