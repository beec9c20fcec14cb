/**
 * One Kafka, one MongoDB, one Redis, one dev chain, one Docker engine and one installation for all suites of
 * a run. The process that starts the run keeps them and offers them over HTTP on loopback; each starts when
 * the first suite requests it, so a run without such suites starts none. Suites find the address in
 * `HINDSIGHT_SHARED_SERVERS`.
 */
import { randomUUID } from 'node:crypto';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import type { Environment } from '@hindsight/kernel/config.ts';
import { findShared, type Probes, type SharedName } from './find.ts';
import { NETWORK_USERS, NetworkTurns, takeTurn, type NetworkUser } from './network-turns.ts';
import { openServer, type OpenServer } from './open.ts';

/** The variable that carries the address of the run's servers to its suites. */
export const SHARED_SERVERS = 'HINDSIGHT_SHARED_SERVERS';

/** The answer to a suite: an address, the reason why there is none, or the error of its start. */
export type Offer =
  | Pick<OpenServer, 'name' | 'address' | 'source'>
  | { readonly name: SharedName; readonly absent: string }
  | { readonly name: SharedName; readonly fault: string };

/** An engine with its images, the reason why there is none, or the error of making it. */
export type EngineOffer =
  | {
      readonly kind: 'given' | 'own';
      /** As `DOCKER_HOST` has it. */
      readonly host?: string;
      /** The servers' images are those of tools/docker/images: MongoDB is a test server of its protocol. */
      readonly assembled: boolean;
      /** The command `docker-compose`, version 2. */
      readonly compose: string;
    }
  | { readonly absent: string }
  | { readonly fault: string };

/** A first start may have to download and to build. */
const OFFER_WITHIN_MS = 30 * 60_000;
const ANSWER_LIMIT = 64 * 1024;
const NAMES: readonly SharedName[] = ['kafka', 'mongodb', 'redis'];

interface Stoppable {
  readonly stop?: () => Promise<void>;
}

/** Other things that the run starts on request, by name. Suites get the JSON of each. */
export type OtherOffers = Readonly<Record<string, () => Promise<Stoppable>>>;

/** Offers servers until a `DELETE` at the returned address. */
export async function offerServers(
  env: Environment,
  probes: Probes,
  others: OtherOffers = {},
): Promise<string> {
  const offers = new Map<SharedName, Promise<Offer & Stoppable>>();
  const offer = (name: SharedName): Promise<Offer> => {
    const known = offers.get(name) ?? open(name, env, probes);
    offers.set(name, known);
    return known;
  };
  const starts: OtherOffers = { ...others, devchain: openChain, engine: () => openImages(env, probes) };
  const started = new Map<string, Promise<Stoppable>>();
  const start = (name: string, open: () => Promise<Stoppable>): Promise<Stoppable> => {
    const known = started.get(name) ?? open();
    started.set(name, known);
    return known;
  };
  const turns = new NetworkTurns();
  // The path keeps other users of the machine from ending them by accident.
  const secret = `/${randomUUID()}`;
  const server: Server = createServer((asked, answer) => {
    const reply = (status: number, body: object): void => {
      answer
        .writeHead(status, { 'content-type': 'application/json', connection: 'close' })
        .end(JSON.stringify(body));
    };
    const name = NAMES.find((known) => asked.url === `${secret}/${known}`);
    const user = NETWORK_USERS.find((known) => asked.url === `${secret}/turns/${known}`);
    const other = Object.entries(starts).find(([known]) => asked.url === `${secret}/${known}`);
    if (asked.method === 'GET' && name) void offer(name).then((found) => reply(200, found));
    else if (asked.method === 'GET' && user !== undefined) turns.take(user, answer);
    else if (asked.method === 'GET' && other !== undefined) {
      void start(...other).then(
        (found) => reply(200, found),
        (error: Error) => reply(500, { fault: error.message }),
      );
    } else if (asked.method === 'DELETE' && asked.url === secret) {
      void stopAll([...offers.values(), ...started.values()]).then((faults) => reply(200, { faults }));
      server.close();
    } else reply(404, {});
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${secret}`;
}

async function open(name: SharedName, env: Environment, probes: Probes): Promise<Offer & Stoppable> {
  try {
    const source = await findShared(name, env, probes);
    if (source.kind === 'absent') return { name, absent: source.why };
    if (source.kind === 'native' && source.instead !== undefined)
      process.stderr.write(`\n${name} is a native server: ${source.instead}\n`);
    return await openServer(name, source);
  } catch (error) {
    return { name, fault: (error as Error).message };
  }
}

/** An engine that has every image; built and assembled when the first suite asks. */
async function openImages(env: Environment, probes: Probes): Promise<EngineOffer & Stoppable> {
  const { openImages: open } = await import('../docker/open.ts');
  return open(env, probes).catch((error: unknown) => ({ fault: (error as Error).message }));
}

/** Its module loads a client library, so it is imported on first use. */
async function openChain(): Promise<Devchain> {
  const { startDevchain } = await import('@hindsight/devchain/devchain.ts');
  const { ask } = await import('@hindsight/devchain/client.ts');
  const chain = await startDevchain();
  const stop = async (): Promise<void> => {
    const { hash } = (await ask(chain.url, 'eth_getBlockByNumber', 'latest', false)) as { hash: string };
    await chain.stop();
    if (hash !== chain.head.hash) throw new Error('a suite has changed the dev chain that all share');
  };
  return { ...chain, stop };
}

async function stopAll(offers: Iterable<Promise<Stoppable>>): Promise<string[]> {
  const outcomes = await Promise.allSettled([...offers].map(async (offer) => (await offer).stop?.()));
  return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []));
}

/** Requests a server of the run; waits while it starts. */
export async function askForServer(address: string, name: SharedName): Promise<Offer> {
  return (await ask('GET', `${address}/${name}`)) as Offer;
}

/** Requests the engine of the run; waits while its images are built. */
export async function askForEngine(address: string): Promise<EngineOffer> {
  return (await ask('GET', `${address}/engine`)) as EngineOffer;
}

/** Waits until the machine's network is free for a kind of suite. @returns a function that ends the turn */
export function takeNetworkTurn(address: string, user: NetworkUser): Promise<() => void> {
  return takeTurn(`${address}/turns/${user}`);
}

/** Requests another offer of the run, such as its dev chain; waits while it starts. */
export async function askForOther<T extends object>(address: string, name: string): Promise<T> {
  const found = (await ask('GET', `${address}/${name}`)) as T | { fault: string };
  if ('fault' in found) throw new Error(found.fault);
  return found;
}

/** Ends the servers of the run. @throws naming those that did not stop. */
export async function stopServers(address: string): Promise<void> {
  const { faults } = (await ask('DELETE', address)) as { faults: string[] };
  if (faults.length > 0) throw new Error(`servers did not stop: ${faults.join('; ')}`);
}

function ask(method: string, url: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, agent: false, timeout: OFFER_WITHIN_MS }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > ANSWER_LIMIT) asked.destroy(new Error('the answer is too long'));
      });
      answer.once('error', reject);
      answer.once('end', () => resolve(JSON.parse(text)));
    });
    asked.once('timeout', () => asked.destroy(new Error(`no answer within ${OFFER_WITHIN_MS} ms`)));
    asked.once('error', reject);
    asked.end();
  });
}
