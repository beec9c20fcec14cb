/** The client of a request, from the headers of trusted proxies, by Fastify's rules. */
import proxyAddr from '@fastify/proxy-addr';
import type { IncomingMessage } from 'node:http';

/** The client of a request. */
export interface Client {
  readonly address: string;
  /** The requested host, with the port. */
  readonly host: string;
  readonly protocol: string;
}

/** Finds a request's client. */
export type ClientOf = (request: IncomingMessage) => Client;

/** @param trustProxy addresses whose `X-Forwarded-*` is believed */
export function createClientOf(trustProxy: readonly string[] = []): ClientOf {
  if (trustProxy.length === 0) return direct;
  const trusts = proxyAddr.compile([...trustProxy]);
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
