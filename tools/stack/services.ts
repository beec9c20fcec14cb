/** The services of the stack, as data: a new one is a line here. */

/** One kind of process. */
export interface ServiceSpec {
  readonly name: string;
  /** From the repository's root. */
  readonly main: string;
  /** Port of the first of its kind if the stack's base port is 8080; `/metrics` is a thousand above. */
  readonly port: number;
}

/** The gateways take the ports from 8080 on, so the others are a hundred above. */
export const SERVICES: readonly ServiceSpec[] = [
  { name: 'gateway', main: 'services/gateway/src/main.ts', port: 8080 },
  { name: 'balance', main: 'services/balance/src/main.ts', port: 8181 },
  { name: 'tokens', main: 'services/tokens/src/main.ts', port: 8182 },
  { name: 'holders', main: 'services/holders/src/main.ts', port: 8186 },
  { name: 'orders', main: 'services/orders/src/main.ts', port: 8183 },
  { name: 'metering', main: 'services/metering/src/main.ts', port: 8184 },
  { name: 'portal', main: 'services/portal/src/main.ts', port: 8185 },
];

/** Every kind of process of the product: each has a place in stack.json, even if none runs. */
export const KINDS = ['gateway', 'balance', 'tokens', 'holders', 'orders', 'metering', 'portal'] as const;

/** Gateways that fit below the other services' ports. */
export const MAX_GATEWAYS = 50;

const FIRST_PORT = 8080;
const METRICS_ABOVE = 1000;

/** One process of the stack: its kind and its ports. */
export interface Placed {
  readonly spec: ServiceSpec;
  /** Unique; also the name of its log. */
  readonly name: string;
  readonly url: string;
  readonly metricsUrl: string;
  /** Settings of this process only. */
  readonly env: Readonly<Record<string, string>>;
}

/** Gives each process its place, its ports, and the gateways the addresses of the others. */
export function place(options: {
  readonly gateways: number;
  readonly basePort: number;
  readonly dataDir: string;
}): readonly Placed[] {
  const urls = Object.fromEntries(
    SERVICES.filter(({ name }) => name !== 'gateway').map((spec) => [
      `${spec.name.toUpperCase()}_URL`,
      `http://127.0.0.1:${options.basePort + spec.port - FIRST_PORT}`,
    ]),
  );
  // Pages of the portal call the first gateway.
  urls.API_URL = `http://127.0.0.1:${options.basePort}`;
  return SERVICES.flatMap((spec) =>
    Array.from({ length: spec.name === 'gateway' ? options.gateways : 1 }, (_, index): Placed => {
      const port = options.basePort + spec.port - FIRST_PORT + index;
      const name = `${spec.name}-${index + 1}`;
      const env = {
        HOST: '127.0.0.1',
        PORT: String(port),
        METRICS_PORT: String(port + METRICS_ABOVE),
        DATA_DIR: `${options.dataDir}/${name}`,
        ...urls,
      };
      const metricsUrl = `http://127.0.0.1:${port + METRICS_ABOVE}/metrics`;
      return { spec, name, url: `http://127.0.0.1:${port}`, metricsUrl, env };
    }),
  );
}
