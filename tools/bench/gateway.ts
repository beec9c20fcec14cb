/** The gateway, with key, exact quota, spool and forwarding, against a bare proxy without any of them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contest, type Contestant } from './contest.ts';
import { leanLoad } from './lean-load.ts';
import { makeKey, SECRETS_KEY } from './make-key.ts';
import type { Results } from './results.ts';
import { startScript, startService, type ServiceProcess } from './service-process.ts';

const CONNECTIONS = 64;
const REQUESTS = 20_000;
const PATH = '/v1/eth-mainnet/balance/single?token_address=0x1&holder=0x2';

export function asked(
  name: string,
  { url, pid }: ServiceProcess,
  key: string,
  connections = CONNECTIONS,
): Contestant {
  const request = `GET ${PATH} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: */*\r\nx-api-key: ${key}\r\n\r\n`;
  return {
    name,
    pid,
    run: (requests) => leanLoad({ url, requests, connections, request: () => request }),
  };
}

export async function run(results: Results): Promise<void> {
  await runForwarded(results);
  await runFinal(results);
}

/**
 * A final answer that the gateway remembers, against a route of Fastify's that sends the same body and
 * nothing else, and against the floor: Node's own server with that body.
 */
async function runFinal(results: Results): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-bench-'));
  const key = await makeKey(folder);
  const service = await startScript('tools/bench/processes/small-answers.ts', ['final']);
  const body = await (await fetch(service.url)).text();
  const bare = await startScript('tools/bench/processes/bare-route.ts', [body]);
  const floor = await startScript('tools/bench/processes/bare-node.ts', [body]);
  const urls = { BALANCE_URL: service.url, TOKENS_URL: service.url, ORDERS_URL: service.url };
  const gateway = await startService('gateway', { ...urls, DATA_DIR: folder, SECRETS_KEY });
  try {
    for (const { pid } of [bare, floor, gateway]) execFileSync('taskset', ['-apc', '0', String(pid)]);
    execFileSync('taskset', ['-apc', '1', String(process.pid)]);
    const contestants = [
      asked('bare Fastify route, same body', bare, key),
      asked("Node's server, same body", floor, key),
      asked('gateway: a final answer again', gateway, key),
    ];
    await contest({ title: 'gateway, final answers', contestants, operations: 2 * REQUESTS }, results);
  } finally {
    execFileSync('taskset', ['-apc', '0-63', String(process.pid)]);
    for (const one of [gateway, floor, bare, service]) await one.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runForwarded(results: Results): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-bench-'));
  const key = await makeKey(folder);
  const service = await startScript('tools/bench/processes/small-answers.ts', []);
  const proxy = await startScript('tools/bench/processes/plain-proxy.ts', [service.url]);
  const urls = { BALANCE_URL: service.url, TOKENS_URL: service.url, ORDERS_URL: service.url };
  const gateway = await startService('gateway', { ...urls, DATA_DIR: folder, SECRETS_KEY });
  try {
    for (const { pid } of [proxy, gateway]) execFileSync('taskset', ['-apc', '0', String(pid)]);
    for (const pid of [service.pid, process.pid]) execFileSync('taskset', ['-apc', '1', String(pid)]);
    const contestants = [
      asked('bare @fastify/http-proxy', proxy, key),
      asked('gateway: key, quota, spool, forwarding', gateway, key),
    ];
    await contest(
      { title: `gateway, ${CONNECTIONS} connections`, contestants, operations: REQUESTS },
      results,
    );
  } finally {
    execFileSync('taskset', ['-apc', '0-63', String(process.pid)]);
    await gateway.stop();
    await proxy.stop();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
