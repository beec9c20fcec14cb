import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

interface HangUp {
  /** The gateway's. */
  readonly url: string;
  readonly key: string;
  readonly body: string;
  /** Waits until the order has reached the intended point; by default, until it is sent. */
  readonly reached?: () => Promise<unknown>;
  readonly afterMs: number;
}

/** Sends an order, and closes the connection soon after. A reset would drop what the gateway has not read yet. */
export async function hangUp({ url, key, body, reached, afterMs }: HangUp): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const head = [
    'POST /v1/eth-mainnet/orders/dex-webhook HTTP/1.1',
    'host: x',
    `x-api-key: ${key}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  await reached?.();
  await sleep(afterMs);
  socket.destroy();
}
