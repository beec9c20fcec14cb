/**
 * A proxy between MongoDB's driver and a server. It reads the wire protocol
 * (https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/), so that a test can cut, delay or replace the
 * answer to any single command. The server must be reachable without TLS.
 */
import { BSON, type Document } from 'mongodb';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { withUsualWaits } from './mongodb-database.ts';

/** A command on its way to the server. */
export interface MongodbCommand {
  /** `insert`, `findAndModify` … */
  readonly name: string;
  readonly body: Document;
}

/**
 * Decides the fate of a command. `forward` has the server execute it. The client gets the resolved answer; at
 * `cut` its connection ends without one.
 */
export type Intercept = (
  command: MongodbCommand,
  forward: () => Promise<Document>,
) => Promise<Document | 'cut'>;

export interface MongodbProxy {
  /** A value for `MONGODB_URL`: the driver takes the proxy for the only server. */
  readonly url: string;
  /** Handles every command from now on; undefined passes all on. */
  intercept: Intercept | undefined;
  close(): Promise<void>;
}

/** Kinds of messages. Only the first greeting of a connection is a query, and its answer a reply. */
const [OP_REPLY, OP_QUERY, OP_MSG] = [1, 2004, 2013];
const HEADER_BYTES = 16;
const FLAGS_BYTES = 4;
/** A cursor's id, a position, and the number of documents. */
const REPLY_HEAD_BYTES = 16;
const EXHAUST_ALLOWED = 1 << 16;

/** Starts a proxy to the first host of a connection string. */
export async function startMongodbProxy(url: string): Promise<MongodbProxy> {
  const [, scheme, user = '', hosts = ''] = /^(mongodb:\/\/)([^/@]*@)?([^/?]+)/.exec(url) ?? [];
  const host = hosts.split(',', 1)[0] ?? '';
  const rest = url.slice((scheme ?? '').length + user.length + hosts.length);
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
  // Its faults are for clients that wait no longer than usual.
  const [path = '', query = ''] = withUsualWaits(rest).split('?');
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
        const body = bodyOf(value);
        raw.set(body, value);
        return body;
      };
      const body = bodyOf(request);
      const [name = ''] = Object.keys(body);
      const fate = intercept();
      const answer = fate === undefined ? await forward() : await fate({ name, body }, forward);
      if (answer === 'cut') break;
      client.write(raw.get(answer) ?? messageOf(answer, request));
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

/** The document of a message, without its sequences of documents. */
function bodyOf(message: Buffer): Document {
  const at = positionOfBody(message);
  // The driver wants the id of a cursor as a long, as the server sent it.
  return BSON.deserialize(message.subarray(at, at + message.readInt32LE(at)), { promoteLongs: false });
}

function positionOfBody(message: Buffer): number {
  let at = HEADER_BYTES + FLAGS_BYTES;
  switch (message.readInt32LE(12)) {
    case OP_MSG:
      // Kind 1 is a sequence with its own length; kind 0, of which there is one, is the document.
      while (message[at] === 1) at += 1 + message.readInt32LE(at + 1);
      return at + 1;
    case OP_QUERY:
      // The collection's name with a zero at its end, and two numbers.
      return message.indexOf(0, at) + 1 + 8;
    case OP_REPLY:
      return at + REPLY_HEAD_BYTES;
    default:
      throw new Error(`a message of an unknown kind: ${message.readInt32LE(12)}`);
  }
}

/** Removes the permission to stream: the server may then send only one answer to a greeting. */
function withoutStreaming(request: Buffer): Buffer {
  if (request.readInt32LE(12) === OP_MSG)
    request.writeInt32LE(request.readInt32LE(HEADER_BYTES) & ~EXHAUST_ALLOWED, HEADER_BYTES);
  return request;
}

function messageOf(body: Document, request: Buffer): Buffer {
  const document = BSON.serialize(body);
  const isMessage = request.readInt32LE(12) === OP_MSG;
  const head = Buffer.alloc(HEADER_BYTES + FLAGS_BYTES + (isMessage ? 1 : REPLY_HEAD_BYTES));
  head.writeInt32LE(head.length + document.length, 0);
  head.writeInt32LE(request.readInt32LE(4), 8);
  head.writeInt32LE(isMessage ? OP_MSG : OP_REPLY, 12);
  // One document follows.
  if (!isMessage) head.writeInt32LE(1, head.length - 4);
  return Buffer.concat([head, document]);
}
