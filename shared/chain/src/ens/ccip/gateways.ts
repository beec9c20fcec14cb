/**
 * Queries gateways over HTTPS. Contracts write the URLs, so a URL is not trusted at all: its host must be on
 * the operator's list, every address of that host must be public, and the connection goes to the very address
 * that was checked.
 */
import { lookup as dnsLookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { z } from 'zod';
import { withDeadline } from '@hindsight/kernel/deadline.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { Agent, buildConnector } from '@hindsight/kernel/undici.ts';
import { GatewayError, OffchainName, type CcipGateways, type Referral } from './offchain.ts';
import { isPublicAddress } from './public-address.ts';

interface GatewayOptions {
  /** Names of the permitted hosts. */
  readonly hosts: readonly string[];
  /** Looks up the addresses of a host; by default with the system's resolver. */
  readonly lookup?: (host: string) => Promise<readonly string[]>;
  /** Connects to an address that has been checked. */
  readonly dial?: (address: string, port: number) => Socket;
  /** Certificates to trust in place of the system's. */
  readonly ca?: string;
  /** Milliseconds for one gateway. */
  readonly timeoutMs?: number;
  /** Largest answer in bytes. */
  readonly maxBytes?: number;
}

const TIMEOUT_MS = 3_000;
/** The longest hexadecimal answer that fits into the callback, and room for the JSON around it. */
const MAX_BYTES = 100 * 1024;
/** Longer URLs do not fit into servers' request lines. */
const MAX_URL_LENGTH = 16 * 1024;
const CONNECTIONS_PER_HOST = 8;

/** EIP-3668's answer. */
const ANSWER = z.object({ data: z.string().regex(/^0x(?:[0-9a-fA-F]{2})*$/) });

/** The client for an operator's list of hosts; undefined if the list is empty. It is closed with the process. */
export function openCcipGateways(hosts: readonly string[], lifecycle: Lifecycle): CcipGateways | undefined {
  if (hosts.length === 0) return undefined;
  const client = createCcipGateways({ hosts });
  lifecycle.onStop('CCIP gateways', () => client.close());
  return client;
}

/** Creates the client. It connects on first use. */
export function createCcipGateways(options: GatewayOptions): CcipGateways {
  const hosts = new Set(options.hosts);
  const { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES } = options;
  const agent = new Agent({ connect: guardedConnect(options, timeoutMs), connections: CONNECTIONS_PER_HOST });
  return {
    async ask(referral, signal) {
      const allowed = referral.urls.flatMap((template) => questionFor(template, referral, hosts) ?? []);
      if (allowed.length === 0) throw new OffchainName(`no gateway of ${referral.sender} may be asked`);
      let failure: unknown;
      for (const question of allowed) {
        const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
        try {
          return await exchange(agent, question, limit, maxBytes);
        } catch (error) {
          failure = limit.aborted
            ? new GatewayError('timeout', `${question.url.host} was too slow`, error)
            : error;
          // A gateway that calls the question wrong answers for all of them (EIP-3668).
          if (signal.aborted || error instanceof QuestionRefused) break;
        }
      }
      throw toGatewayError(failure);
    },
    close: () => agent.destroy(),
  };
}

interface Question {
  readonly url: URL;
  /** Absent for a GET. */
  readonly body?: string;
}

/** The request that a template yields (EIP-3668); undefined if it is not permitted. */
function questionFor(template: string, referral: Referral, hosts: ReadonlySet<string>): Question | undefined {
  const { sender, callData } = referral;
  // Checked before the URL is built: a contract can repeat its data thousands of times.
  const named = template.split('{data}').length - 1;
  if (template.length + named * callData.length > MAX_URL_LENGTH) return undefined;
  const text = template.replaceAll('{sender}', sender).replaceAll('{data}', callData);
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const plain = url.protocol === 'https:' && url.port === '' && url.username === '' && url.password === '';
  // No address is on the list, which has names alone.
  if (!plain || !hosts.has(url.hostname)) return undefined;
  if (template.includes('{data}')) return { url };
  return { url, body: JSON.stringify({ data: callData, sender }) };
}

/** The gateway answered with a 4xx. */
class QuestionRefused extends GatewayError {}

async function exchange(
  agent: Agent,
  { url, body: question }: Question,
  signal: AbortSignal,
  maxBytes: number,
): Promise<string> {
  // Redirects are not followed: anything but a success is a failure.
  const { statusCode, body } = await agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    signal,
    method: question === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      ...(question === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: question ?? null,
  });
  // An unread body keeps its connection, and one that breaks off later must not crash the process.
  body.on('error', () => undefined);
  if (statusCode !== 200) {
    body.destroy();
    const message = `${url.host} answered HTTP ${statusCode}`;
    throw statusCode >= 400 && statusCode < 500
      ? new QuestionRefused('failed', message)
      : new GatewayError('failed', message);
  }
  return readAnswer(url.host, await collect(url.host, body, maxBytes));
}

async function collect(host: string, body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new GatewayError('failed', `${host} answered more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function readAnswer(host: string, text: string): string {
  try {
    return ANSWER.parse(JSON.parse(text)).data;
  } catch (cause) {
    throw new GatewayError('failed', `${host} answered something else than data`, cause);
  }
}

function toGatewayError(failure: unknown): GatewayError {
  if (failure instanceof GatewayError) return failure;
  return new GatewayError('failed', 'a gateway could not be reached', failure);
}

/** Connects to the first address of a host whose addresses are all public, and to nothing else. */
function guardedConnect(options: GatewayOptions, timeoutMs: number): buildConnector.connector {
  const { lookup = systemLookup, dial = dialTcp, ca } = options;
  const secure = buildConnector({ allowH2: false, timeout: timeoutMs, ...(ca === undefined ? {} : { ca }) });
  const connect = async (host: string): Promise<Socket> => {
    const within = <T>(work: Promise<T>, late: string): Promise<T> =>
      withDeadline(work, timeoutMs, () => new GatewayError('timeout', late));
    // A silent name server must not delay later questions.
    const addresses = await within(lookup(host), `the address of ${host} could not be found in time`);
    const [address] = addresses;
    if (address === undefined) throw new GatewayError('failed', `${host} has no address`);
    if (!addresses.every(isPublicAddress))
      throw new GatewayError('failed', `${host} has an address that is not public`);
    const socket = dial(address, 443);
    try {
      await within(once(socket, 'connect'), `${host} does not accept connections`);
      return socket;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  };
  return (target, callback) => {
    void connect(target.hostname).then(
      (httpSocket) => secure({ ...target, httpSocket }, callback),
      (error: unknown) => callback(error as Error, null),
    );
  };
}

function dialTcp(host: string, port: number): Socket {
  return connectTcp({ host, port });
}

async function systemLookup(host: string): Promise<readonly string[]> {
  return (await dnsLookup(host, { all: true })).map(({ address }) => address);
}
