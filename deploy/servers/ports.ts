/** Ports for servers of our own, all on loopback. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range from which systems take ports for outgoing connections: a client that keeps trying a port in
 * that range while its server is down can be given that very port, and then talks to itself.
 */
const FIRST = 20_000;
const END = 32_000;
const ATTEMPTS = 50;

/**
 * Finds a TCP port of 127.0.0.1 on which nothing listens.
 * @throws when 50 ports tried at random are all taken.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(FIRST, END);
    if (await canListen(port)) return port;
  }
  throw new Error(`no free port on 127.0.0.1 between ${FIRST} and ${END} in ${ATTEMPTS} attempts`);
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
