/** `npm run stack` on servers behind proxies: each of its processes and servers can be hurt, and heals. */
import { CHAIN } from '@hindsight/devchain/world.ts';
import { startKafka } from '@hindsight/tools/servers/kafka.ts';
import { startMongodb } from '@hindsight/tools/servers/mongodb.ts';
import { freePort } from '@hindsight/tools/servers/ports.ts';
import type { ServerProcess } from '@hindsight/tools/servers/process.ts';
import { startRedis } from '@hindsight/tools/servers/redis.ts';
import { setJoined, startToxiproxy, type ServerProxy } from '@hindsight/tools/servers/toxiproxy.ts';
import { KINDS } from '@hindsight/tools/stack/services.ts';
import { until, untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import { Wallet } from 'ethers';
import { randomUUID } from 'node:crypto';
import { MeteredGateways, type MadeProject } from '../support/metered-gateways.ts';
import { RunningStack, type StackProcess } from '../support/running-stack.ts';
import { freeStackPort } from '../support/stack-port.ts';
import { startDevNode } from './dev-node.ts';
import { startHurtCluster } from './hurt-cluster.ts';
import { listedTokens } from './listed-tokens.ts';
import { PortalUser } from './portal-user.ts';
import type { ListedToken } from './questions.ts';

/** Gateways of the installation. */
const GATEWAYS = 3;
const FIRST_BLOCK = String(CHAIN.genesis);
const INDEXED_WITHIN_MS = 600_000;

/** A server, and the proxy between it and the services; a cluster has none, since its servers name one another. */
export interface HurtServer extends Omit<ServerProcess, 'pid'> {
  readonly name: 'kafka' | 'mongodb' | 'redis' | 'redis cluster' | 'node';
  readonly proxy: ServerProxy | undefined;
}

/** Servers of Redis: one behind a proxy, or a cluster of six. */
export type RedisKind = 'single' | 'cluster';

/** Everything that runs. */
export class Installation extends MeteredGateways {
  readonly settings: Readonly<Record<string, string>>;
  readonly servers: readonly HurtServer[];
  /** Kafka's own address, past its proxy. */
  readonly brokers: string;
  readonly stack: RunningStack;
  /** All tokens of the list, which has them, in its order. */
  readonly listed: readonly ListedToken[];
  readonly #customer = Wallet.createRandom();
  readonly #stops: readonly (() => Promise<unknown>)[];

  private constructor(
    stack: RunningStack,
    servers: readonly HurtServer[],
    listed: readonly ListedToken[],
    direct: Readonly<Record<'MONGODB_URL' | 'KAFKA_BROKERS' | 'REDIS_URL' | 'SECRETS_KEY', string>>,
    stops: readonly (() => Promise<unknown>)[],
  ) {
    super();
    this.stack = stack;
    this.servers = servers;
    this.listed = listed;
    this.settings = direct;
    this.brokers = direct.KAFKA_BROKERS;
    this.#stops = stops;
  }

  /** Starts everything; what has started is stopped again when something does not. */
  static async start(redis: RedisKind): Promise<Installation> {
    const stops: (() => Promise<unknown>)[] = [];
    try {
      return await Installation.#start(redis, stops);
    } catch (error) {
      await stopAll(stops);
      throw error;
    }
  }

  static async #start(kind: RedisKind, stops: (() => Promise<unknown>)[]): Promise<Installation> {
    const started = async <T extends Pick<ServerProcess, 'stop'>>(starting: Promise<T>): Promise<T> => {
      const server = await starting;
      stops.push(() => server.stop());
      return server;
    };
    const { client } = await started(startToxiproxy());
    const onRestart = async (url: string): Promise<void> => {
      Object.assign(proxies.node, { upstream: new URL(url).host });
      await setJoined(proxies.node, true);
    };
    const [kafka, mongodb, redis, node] = await Promise.all([
      started(startKafka()),
      started(startMongodb({ storage: 'file' })),
      started(kind === 'cluster' ? startHurtCluster() : startRedis()),
      started(startDevNode(onRestart)),
    ]);
    const listenTo = async (name: string, url: string): Promise<ServerProxy> =>
      client.createProxy({ name, listen: `127.0.0.1:${await freePort()}`, upstream: new URL(url).host });
    const proxies = {
      kafka: await client.createProxy({ name: 'kafka', ...kafka.throughProxy }),
      mongodb: await listenTo('mongodb', mongodb.url),
      redis: kind === 'cluster' ? undefined : await listenTo('redis', redis.url),
      node: await listenTo('node', node.url),
    };
    const servers: HurtServer[] = [
      Object.assign(kafka, { name: 'kafka', proxy: proxies.kafka } as const),
      Object.assign(mongodb, { name: 'mongodb', proxy: proxies.mongodb } as const),
      Object.assign(redis, {
        name: kind === 'cluster' ? 'redis cluster' : 'redis',
        proxy: proxies.redis,
      } as const),
      Object.assign(node, { name: 'node', proxy: proxies.node } as const),
    ];
    const SECRETS_KEY = randomUUID();
    const stack = new RunningStack(
      await freeStackPort(GATEWAYS),
      ['--gateways', String(GATEWAYS), '--restart'],
      {
        KAFKA_BROKERS: proxies.kafka.listen,
        MONGODB_URL: `mongodb://${proxies.mongodb.listen}`,
        REDIS_URL: proxies.redis ? `redis://${proxies.redis.listen}` : redis.url,
        ETH_RPC_URL: `http://${proxies.node.listen}`,
        TOKENS_FROM_BLOCK: FIRST_BLOCK,
        INDEX_FROM: FIRST_BLOCK,
        INDEX_TOKENS: 'all',
        SECRETS_KEY,
      },
    );
    stops.push(() => stack.stop());
    await stack.untilReady();
    const direct = {
      KAFKA_BROKERS: kafka.brokers,
      MONGODB_URL: mongodb.url,
      REDIS_URL: redis.url,
      SECRETS_KEY,
    };
    const listed = await listedTokens(node.url);
    await untilListed(stack.file().tokens[0]!, listed.length);
    return new Installation(stack, servers, listed, direct, stops);
  }

  /** Makes a project of a customer, who is signed in at the portal. */
  async createOwned(limit: number): Promise<MadeProject & { readonly portal: PortalUser }> {
    const portal = new PortalUser(this.stack.file().portal[0]!.url);
    let first = '';
    await untilItWorks('the customer is signed in', async () => {
      first = await portal.signIn(this.#customer);
    });
    const { owner } = JSON.parse(await this.admin('project', 'show', first, '--json')) as { owner: string };
    const made = await this.createProject(limit, undefined, ['--owner', owner]);
    await untilItWorks('the project is shown', () => portal.open(made.project));
    return { ...made, portal };
  }

  get urls(): readonly string[] {
    return this.stack.file().gateway.map(({ url }) => url);
  }

  /** All processes of services, as they are now: a restart changes the id. */
  get processes(): readonly StackProcess[] {
    const file = this.stack.file();
    return KINDS.flatMap((kind) => file[kind]);
  }

  stop(): Promise<void> {
    return stopAll([...this.#stops]);
  }
}

/** Ends them in the order opposite to that of their starts. */
async function stopAll(stops: (() => Promise<unknown>)[]): Promise<void> {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop().catch(() => undefined);
}

/** Waits until the list has as many tokens. */
async function untilListed({ url }: StackProcess, count: number): Promise<void> {
  const isListed = async (): Promise<boolean> => {
    const answer = await fetch(`${url}/v1/eth-mainnet/token`);
    return answer.ok && ((await answer.json()) as { readonly total: number }).total === count;
  };
  await until(`${count} tokens are listed`, isListed, INDEXED_WITHIN_MS, 200);
}
