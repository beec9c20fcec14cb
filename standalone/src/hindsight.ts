import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { createBalance } from '@hindsight/balance/service.ts';
import {
  createGateway,
  createInProcessUpstream,
  createInProcessUpstreams,
  UPSTREAM_TIMEOUT_MS,
} from '@hindsight/gateway/service.ts';
import { createOrders } from '@hindsight/orders/service.ts';
import { createMetering } from '@hindsight/metering/service.ts';
import { createPortal } from '@hindsight/portal/service.ts';
import { openBus } from '@hindsight/bus/open.ts';
import { openCcipGateways } from '@hindsight/chain/ens/ccip/gateways.ts';
import { MAINNET_PAST_EXAMPLE } from '@hindsight/chain/mainnet-examples.ts';
import { nodeReadiness, nodesReadiness } from '@hindsight/chain/readiness.ts';
import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import { collectStartGarbage } from '@hindsight/kernel/start-garbage.ts';
import { inProcessService } from '@hindsight/http/in-process-service.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { listenAt } from '@hindsight/http/listen-at.ts';
import { listen } from '@hindsight/http/server.ts';
import { startProcess, type ProcessDeps } from '@hindsight/http/start-service.ts';
import { ConfigError, type Environment } from '@hindsight/kernel/config.ts';
import { ensureFolder } from '@hindsight/kernel/ensure-folder.ts';
import { ensureDemoProject } from '@hindsight/projects/create-project.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import { refuseWrongSecret } from '@hindsight/projects/wrong-secret.ts';
import { embeddedSecret } from './secrets-file.ts';
import { startProjectUpkeep } from '@hindsight/projects/upkeep.ts';
import { ledgerCounters } from '@hindsight/usage/counters/ledger-counters.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import { EXAMPLES, PAST_EXAMPLE } from '@hindsight/devchain/examples.ts';
import { banner } from './banner.ts';
import { BegunChain } from './begin-chain.ts';
import { readConfig, type StandaloneConfig } from './config.ts';
import { openChains, openRegistry } from './nodes.ts';
import { startHolders } from './holders.ts';
import { startTokens } from './tokens.ts';

/** A service reports by itself that a request takes too long: the gateway waits for longer than that. */
const BEYOND_REQUEST_MS = 5_000;

/** Runs everything in one process, on the embedded default. @param begun the dev chain, where it is there already */
export async function runHindsight(env: Environment, begun: BegunChain | undefined): Promise<void> {
  await startProcess('hindsight', { env, readConfig, create: (config, deps) => create(config, deps, begun) });
  // Settings that cannot be read start nothing.
  if (process.exitCode) await begun?.stop();
}

async function create(config: StandaloneConfig, deps: ProcessDeps, begun?: BegunChain): Promise<void> {
  const { lifecycle } = deps;
  const { DATA_DIR: dataDir, HOST: host, TRUST_PROXY: trustProxy = [] } = config;
  makeDataFolder(dataDir);
  const secret = config.SECRETS_KEY ?? embeddedSecret(dataDir);
  const { projects, audit, outbox, check } = await openProjects(
    { dataDir, secret, previousSecrets: config.SECRETS_KEY_PREVIOUS },
    deps,
  );
  const { bus, check: busCheck } = await openBus({ dataDir }, deps);
  startProjectUpkeep({ ...deps, projects, audit, outbox, bus });
  await refuseWrongSecret(projects);
  const demo = await ensureDemoProject({ ...deps, projects }, config.DEMO_KEY);
  const chains = await openChains(config, deps, () => begun ?? new BegunChain());
  // Of the portal's pages, and of signing in with a wallet.
  const [chain] = chains;
  const { network, node, embedded } = chain;

  const balance = createBalance({
    ...deps,
    networks: chains,
    registry: await openRegistry(config, deps),
    // The dev chain's blocks are not those of the network that it plays.
    calendarFile: embedded ? undefined : join(dataDir, 'blocks.db'),
    gateways: openCcipGateways(config.ENS_CCIP_GATEWAYS, lifecycle),
    feeds: config.FEEDS_FILE,
    holdersOf: () => inProcessService(() => holders),
    deadlineMs: config.REQUEST_TIMEOUT_MS,
  });
  const store = { dataDir, embedded };
  const orders = await createOrders({
    ...deps,
    keepDays: config.ORDERS_KEEP_DAYS,
    maxInFlight: config.ORDERS_MAX_IN_FLIGHT,
    readable: config.ORDERS_READABLE,
    bus,
    busCheck,
    networks: chains,
    store,
  });
  const tokens = await startTokens(config, chains, deps);
  const holders: HttpServer = await startHolders(config, chains, balance, deps);
  const names = chains.map((one) => one.network.name);
  const upstreams = {
    balance: createInProcessUpstreams(balance, names),
    orders: createInProcessUpstream(orders.app),
    tokens: createInProcessUpstreams(tokens.app, names),
    holders: createInProcessUpstreams(holders, names),
  };
  const { usage, alerts, progress } = await openUsage({ dataDir }, lifecycle);
  createMetering({ ...deps, usage, progress, bus, alerting: { alerts, projects } });
  const counters = ledgerCounters(usage, deps.clock, progress);
  let portalUrl = config.PORTAL_URL;
  const gateway = await createGateway({
    ...deps,
    projects,
    upstreams,
    networks: names.length > 1 ? names : undefined,
    secret,
    bus,
    usage,
    counters,
    dataDir,
    portalUrl: () => portalUrl,
    securityContact: config.SECURITY_CONTACT,
    trustProxy,
    publicUrl: config.PUBLIC_URL,
    upstreamTimeoutMs: Math.max(UPSTREAM_TIMEOUT_MS, config.REQUEST_TIMEOUT_MS + BEYOND_REQUEST_MS),
    checks: [check, busCheck, ...nodesReadiness(chains), ...tokens.checks, ...orders.checks],
  });
  const url = await listenAt('PORT', { host, port: config.PORT }, (address) =>
    listen(gateway, lifecycle, 'gateway', address),
  );
  const portal = await createPortal({
    ...deps,
    settings: config,
    secret,
    host,
    store: { dataDir },
    network,
    networks: [network, ...chains.slice(1).map((one) => one.network)],
    node,
    trustProxy,
    showcase: {
      apiUrl: config.API_URL ?? config.PUBLIC_URL ?? url,
      demoKey: demo.key,
      example: embedded ? PAST_EXAMPLE : MAINNET_PAST_EXAMPLE,
      devChain: embedded,
    },
    status: [{ name: 'Gateway', url }],
    projects,
    audit,
    usage: counters,
    alerts,
    bus,
    orders: inProcessService(() => orders.app),
    checks: [check, busCheck],
  });
  const portalAddress = await listenAt('PORTAL_PORT', { host, port: config.PORTAL_PORT }, (address) =>
    listen(portal, lifecycle, 'portal', address),
  );
  portalUrl ??= portalAddress;
  process.stdout.write(
    banner({
      url,
      portalUrl,
      demoKey: demo.key,
      devChainExamples: embedded ? EXAMPLES : undefined,
      dataDir,
      nodeFault: embedded ? undefined : await faultOf(nodeReadiness(node)),
    }),
  );
  // After the banner, which it would delay by 0.1 to 0.2 s; a request at this moment waits for it.
  collectStartGarbage();
}

/** @throws {ConfigError} in place of the errors of those that write there first */
function makeDataFolder(path: string): void {
  try {
    ensureFolder(path);
    // The dot finds a file that is in the folder's place.
    accessSync(`${path}/.`, constants.W_OK);
  } catch (error) {
    throw new ConfigError([`DATA_DIR ${path} cannot be written to: ${(error as Error).message}`]);
  }
}

/** The first line, without the state of each node that follows for `/readyz`. */
async function faultOf(check: ReadinessCheck): Promise<string | undefined> {
  try {
    await check.check();
    return undefined;
  } catch (error) {
    const { cause, message } = error as Error;
    return cause instanceof Error ? cause.message : message;
  }
}
