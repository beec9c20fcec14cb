/** The client of a request, from the headers of trusted proxies, by Fastify's rules. */
import proxyAddr from '@fastify/proxy-addr';
import type { IncomingMessage } from 'node:http';

export interface Client {
  readonly address: string;
  /** The requested host, with the port. */
  readonly host: string;
  readonly protocol: string;
}

export type ClientOf = (request: IncomingMessage) => Client;

/** More proxies than any path has: a client may send thousands in `X-Forwarded-For`, and each is parsed. */
const MAX_HOPS = 20;

/** True if the address, `hop` hops away, is a proxy whose `X-Forwarded-*` is believed. */
export type Trusts = (address: string, hop: number) => boolean;

/**
 * @param trustProxy addresses of proxies whose `X-Forwarded-*` is believed. @returns undefined if there are
 * none
 */
export function trustOf(trustProxy: readonly string[]): Trusts | undefined {
  if (trustProxy.length === 0) return undefined;
  const trusts = proxyAddr.compile([...trustProxy]);
  return (address, hop) => hop < MAX_HOPS && trusts(address, hop);
}

/** Takes the ports out of `X-Forwarded-For`, with which some proxies send it: each connection would be a client of its own. */
export function dropForwardedPorts({ headers }: IncomingMessage): void {
  const sent = headers['x-forwarded-for'];
  if (typeof sent !== 'string') return;
  headers['x-forwarded-for'] = sent
    .replaceAll(/\[([\da-f:.]{2,45})\](?::\d{1,5})?/gi, '$1')
    .replaceAll(/((?:\d{1,3}\.){3}\d{1,3}):\d{1,5}/g, '$1');
}

/** Finds clients by what is believed. */
export function createClientOf(trusts?: Trusts): ClientOf {
  if (trusts === undefined) return direct;
  return (request) => {
    const { headers, socket } = request;
    const { host, protocol } = direct(request);
    const believed = trusts(socket.remoteAddress ?? '', 0);
    return {
      address: proxyAddr.all(request, trusts).at(-1) ?? '',
      host: (believed && lastOf(headers['x-forwarded-host'])) || host,
      protocol: (believed && lastOf(headers['x-forwarded-proto'])) || protocol,
    };
  };
}

function direct({ headers, socket }: IncomingMessage): Client {
  const protocol = 'encrypted' in socket && socket.encrypted === true ? 'https' : 'http';
  return { address: socket.remoteAddress ?? '', host: headers.host ?? '', protocol };
}

/** The last one is the nearest proxy's. */
function lastOf(header: string | string[] | undefined): string | undefined {
  return [header].flat().join(',').split(',').at(-1)?.trim();
}
