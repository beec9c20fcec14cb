/** For tests: HTTPS servers on loopback that stand for gateways somewhere on the internet. */
import { createServer } from 'node:https';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** A running gateway. */
export interface GatewayServer {
  /** The requests: method, host, path and body. */
  readonly questions: readonly string[];
  /** Connects to it, whatever its intended address; `dialled` lists the addresses. */
  readonly dial: (address: string, port: number) => Socket;
  readonly dialled: readonly string[];
  close(): Promise<void>;
}

/** A gateway's answer; `body` is the posted text. */
export type Answering = (response: ServerResponse, request: IncomingMessage, body: string) => void;

/** Starts one. @param keys a certificate and its key, in PEM */
export async function startGateway(
  keys: { cert: string; key: string },
  answering: Answering,
): Promise<GatewayServer> {
  const questions: string[] = [];
  const dialled: string[] = [];
  const server = createServer({ ...keys, ...LASTING }, (request, response) => {
    void readText(request).then((body) => {
      questions.push(`${request.method} ${request.headers.host} ${request.url} ${body}`.trim());
      answering(response, request, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    questions,
    dialled,
    dial: (address, asked) => {
      dialled.push(`${address}:${asked}`);
      return connect({ host: '127.0.0.1', port });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readText(stream: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}
