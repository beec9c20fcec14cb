/** Ports of loopback for the servers of tests. */
import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the range from which systems take ports for outgoing connections: a client that keeps trying a port in
 * that range while its server is down can be given that very port, and then talks to itself.
 */
const FIRST = 20_000;
const END = 32_000;
const ATTEMPTS = 50;

/**
 * Finds a TCP port of 127.0.0.1 on which nothing listens, and reserves it for this process: while the process
 * lives, no other search returns that port, even while its server is down.
 * @param offsets of further ports that must be free as well, counted from that one
 * @throws when 50 random ports are all taken.
 */
export async function freePort(offsets: readonly number[] = []): Promise<number> {
  const end = END - Math.max(0, ...offsets);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(FIRST, end);
    const ports = new Set([0, ...offsets].map((offset) => port + offset));
    if (await keepAll(ports)) return port;
  }
  throw new Error(`no free port on 127.0.0.1 between ${FIRST} and ${end} in ${ATTEMPTS} attempts`);
}

async function keepAll(ports: ReadonlySet<number>): Promise<boolean> {
  const kept: Socket[] = [];
  for (const port of ports) {
    const held = await hold(port);
    if (held !== undefined) kept.push(held);
    if (held !== undefined && (await canListen(port))) continue;
    for (const socket of kept) socket.close();
    return false;
  }
  return true;
}

/** Binding the same UDP port marks this one as reserved for other searches; it ends with the process. */
async function hold(port: number): Promise<Socket | undefined> {
  const socket = createSocket('udp4').unref();
  try {
    socket.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(socket, 'listening');
    return socket;
  } catch {
    socket.close();
    return undefined;
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
