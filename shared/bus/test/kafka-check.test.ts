/** Checks of a broker that accepts connections but never answers. */
import { expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { TOPICS } from '@hindsight/events/topics.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createKafkaBus } from '../src/kafka.ts';

it('share one connection, which is closed with the bus', async () => {
  const sockets = new Set<Socket>();
  let accepted = 0;
  const broker = createServer((socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    socket.resume();
  });
  broker.listen(0, '127.0.0.1');
  await once(broker, 'listening');
  const { port } = broker.address() as AddressInfo;
  const logger = createLogger({ name: 'test', level: 'silent' });
  const bus = createKafkaBus({
    topics: TOPICS,
    logger,
    clock: systemClock,
    brokers: [`127.0.0.1:${port}`],
  });
  const checks = await Promise.allSettled(Array.from({ length: 200 }, () => bus.check()));
  expect(checks.every(({ status }) => status === 'rejected')).toBe(true);
  await expect(bus.check()).rejects.toThrow('no broker answers');
  expect(accepted).toBeLessThanOrEqual(2);
  await bus.close();
  while (sockets.size > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  broker.close();
  await once(broker, 'close');
});
