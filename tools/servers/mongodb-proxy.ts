/**
 * A proxy between MongoDB's driver and a server. It reads the wire protocol (OP_MSG, https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/),
 * so that a test can cut, delay or replace the answer to any single command. The server must be reachable without TLS.
 */
import { BSON, type Document } from 'mongodb';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A command on its way to the server. */
export interface MongodbCommand {
  /** `insert`, `findAndModify` … */
  readonly name: string;
  readonly body: Document;
}

/**
 * Decides what a command meets. `forward` has the server execute it. The client gets what this resolves to; at `cut`
 * its connection ends without an answer.
 */
export type Intercept = (
  command: MongodbCommand,
  forward: () => Promise<Document>,
) => Promise<Document | 'cut'>;

/** A proxy that listens. */
export interface MongodbProxy {
  /** As `MONGODB_URL` has it: the driver takes the proxy for the only server. */
  readonly url: string;
  /** What every command meets from now on; undefined passes all on. */
  intercept: Intercept | undefined;
  close(): Promise<void>;
}

const OP_MSG = 2013;
const HEADER_BYTES = 16;
const FLAGS_BYTES = 4;
const EXHAUST_ALLOWED = 1 << 16;

/** Starts a proxy to the first host of a connection string. */
export async function startMongodbProxy(url: string): Promise<MongodbProxy> {
  const [, scheme, user = '', host = '', rest = ''] =
    /^(mongodb:\/\/)([^/@]*@)?([^/,?]+)[^/?]*(.*)$/.exec(url) ?? [];
  if (scheme === undefined)
    throw new Error('the connection string names no host that a proxy can connect to');
  const upstream = new URL(`tcp://${host}`);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const onwards = connect(Number(upstream.port || 27_017), upstream.hostname);
    for (const socket of [client, onwards]) {
      sockets.add(socket);
      socket.setNoDelay();
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        onwards.destroy();
      });
    }
    void relay(client, onwards, () => proxy.intercept);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const [path = '', query = ''] = rest.split('?');
  const options = [query, 'directConnection=true'].filter(Boolean).join('&');
  const proxy: MongodbProxy = {
    url: `${scheme}${user}127.0.0.1:${(server.address() as AddressInfo).port}${path || '/'}?${options}`,
    intercept: undefined,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
  return proxy;
}

/** The driver sends one message at a time over a connection, and waits for its answer. */
async function relay(client: Socket, server: Socket, intercept: () => Intercept | undefined): Promise<void> {
  const answers = messagesOf(server);
  try {
    for await (const request of messagesOf(client)) {
      const raw = new Map<Document, Buffer>();
      const forward = async (): Promise<Document> => {
        server.write(withoutStreaming(request));
        const { value, done } = await answers.next();
        if (done === true) throw new Error('the server ended the connection');
        const body = bodyOf(value) ?? {};
        raw.set(body, value);
        return body;
      };
      const body = bodyOf(request);
      const [name = ''] = Object.keys(body ?? {});
      const fate = intercept();
      const answer =
        body === undefined || fate === undefined ? await forward() : await fate({ name, body }, forward);
      if (answer === 'cut') break;
      client.write(raw.get(answer) ?? messageOf(answer, request.readInt32LE(4)));
    }
  } catch {
    // One of the two has ended.
  }
  client.destroy();
}

async function* messagesOf(socket: Socket): AsyncGenerator<Buffer, undefined> {
  let buffered = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    buffered = Buffer.concat([buffered, chunk]);
    while (buffered.length >= HEADER_BYTES && buffered.length >= buffered.readInt32LE(0)) {
      const length = buffered.readInt32LE(0);
      yield buffered.subarray(0, length);
      buffered = buffered.subarray(length);
    }
  }
}

/** The document of a message; undefined for other kinds than OP_MSG, such as the first greeting. Sequences of documents are left out. */
function bodyOf(message: Buffer): Document | undefined {
  if (message.readInt32LE(12) !== OP_MSG) return undefined;
  let at = HEADER_BYTES + FLAGS_BYTES;
  // Kind 1 is a sequence with its own length; kind 0, of which there is one, is the document.
  while (message[at] === 1) at += 1 + message.readInt32LE(at + 1);
  return BSON.deserialize(message.subarray(at + 1, at + 1 + message.readInt32LE(at + 1)));
}

/** A server that may send any number of answers to one greeting is asked for one at a time. */
function withoutStreaming(request: Buffer): Buffer {
  if (request.readInt32LE(12) === OP_MSG)
    request.writeInt32LE(request.readInt32LE(HEADER_BYTES) & ~EXHAUST_ALLOWED, HEADER_BYTES);
  return request;
}

function messageOf(body: Document, responseTo: number): Buffer {
  const document = BSON.serialize(body);
  const head = Buffer.alloc(HEADER_BYTES + FLAGS_BYTES + 1);
  head.writeInt32LE(head.length + document.length, 0);
  head.writeInt32LE(responseTo, 8);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, document]);
}
