/** Gateways and the metering service as processes on real servers, in front of a service that answers at once. */
import { freePort } from '@hindsight/tools/servers/ports.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MeteredGateways } from './metered-gateways.ts';
import { runService, type RunningService } from './service-process.ts';

/** The path of the fleet's requests. */
export const CHEAP_PATH = '/v1/eth-mainnet/balance/single';

const DOWN_MS = 500;

/** Addresses of the servers. */
export interface FleetServers {
  readonly mongodbUrl: string;
  readonly brokers: string;
  readonly redisUrl: string;
}

/** A process that keeps its address and its disk across restarts. */
export class Place {
  readonly #name: string;
  readonly #settings: Readonly<Record<string, string>>;
  readonly url: string;
  #service: RunningService | undefined;

  constructor(name: string, port: number, settings: Readonly<Record<string, string>>) {
    this.#name = name;
    this.#settings = { ...settings, PORT: String(port) };
    this.url = `http://127.0.0.1:${port}`;
  }

  async start(): Promise<void> {
    this.#service = await runService(this.#name, this.#settings);
  }

  get pid(): number {
    return this.#service?.pid ?? 0;
  }

  get output(): string {
    return this.#service?.output() ?? '';
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    await this.#service?.end(signal);
  }

  /** kill -9, and a new start a moment later. @param meanwhile runs between the two */
  async killAndRestart(meanwhile?: () => Promise<unknown>): Promise<void> {
    await this.end('SIGKILL');
    await Promise.all([sleep(DOWN_MS), meanwhile?.()]);
    await this.start();
  }
}

/** The fleet. */
export class Fleet extends MeteredGateways {
  readonly settings: Readonly<Record<string, string>>;
  readonly gateways: Place[] = [];
  readonly metering: Place;
  /** The service behind the gateways. */
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end('{}');
  readonly #root = mkdtempSync(join(tmpdir(), 'hindsight-fleet-'));
  readonly #beside: Place[] = [];
  readonly #stops: (() => unknown)[] = [];

  private constructor(settings: Readonly<Record<string, string>>, meteringPort: number) {
    super();
    this.settings = settings;
    this.metering = new Place('metering', meteringPort, { ...settings, DATA_DIR: join(this.#root, 'm') });
  }

  /** Starts everything. @param extra settings of the gateways */
  static async start(
    { mongodbUrl, brokers, redisUrl }: FleetServers,
    gateways: number,
    extra: Readonly<Record<string, string>> = {},
  ): Promise<Fleet> {
    const upstream = createServer(LASTING, (request, response) => fleet.answer(request, response));
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const service = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const settings = {
      MONGODB_URL: mongodbUrl,
      KAFKA_BROKERS: brokers,
      REDIS_URL: redisUrl,
      SECRETS_KEY: 'a secret of some length',
      BALANCE_URL: service,
      TOKENS_URL: service,
      ORDERS_URL: service,
    };
    const fleet = new Fleet(settings, await freePort());
    fleet.#stops.push(() => upstream.close());
    for (let index = 0; index < gateways; index++) {
      const own = { ...settings, ...extra, DATA_DIR: join(fleet.#root, `gateway-${index}`) };
      fleet.gateways.push(new Place('gateway', await freePort(), own));
    }
    try {
      await Promise.all([fleet.metering, ...fleet.gateways].map((place) => place.start()));
    } catch (error) {
      await fleet.stop();
      throw error;
    }
    return fleet;
  }

  get urls(): string[] {
    return this.gateways.map(({ url }) => url);
  }

  /** Starts another gateway, which is not among `gateways`. @param extra its settings */
  async startBeside(extra: Readonly<Record<string, string>>): Promise<Place> {
    const own = { ...this.settings, ...extra, DATA_DIR: join(this.#root, `beside-${this.#beside.length}`) };
    const gateway = new Place('gateway', await freePort(), own);
    this.#beside.push(gateway);
    await gateway.start();
    return gateway;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.gateways, ...this.#beside].map((gateway) => gateway.end('SIGTERM')));
    await this.metering.end('SIGTERM');
    for (const stop of this.#stops) stop();
    rmSync(this.#root, { recursive: true, force: true });
  }
}
