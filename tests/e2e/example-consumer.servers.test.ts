/** Consumers of Kafka: examples/consumer as another team would run it, and npm run events. */
import { expect, it } from '@jest/globals';
import { startKafka } from '@hindsight/tools/servers/kafka.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { createKafkaBus } from '@hindsight/bus/kafka.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { ordersReceived, type OrderReceived } from '@hindsight/events/orders-received.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { machineEnv } from '../support/machine.ts';
import { makeOrder } from '../support/orders/signed-orders.ts';

const CONSUMER = resolve(import.meta.dirname, '../../examples/consumer/consumer.js');

function eventOf(nonce: bigint, sequence: number) {
  const { id, body } = makeOrder(nonce);
  const payload = JSON.parse(body) as OrderReceived['payload'];
  const address = payload.offerer!;
  const now = new Date().toISOString();
  const data: OrderReceived = {
    chainId: 1,
    network: 'eth-mainnet',
    orderHash: payload.orderHash,
    projectId: 'p',
    receivedAt: now,
    payload: { ...payload, createdAt: now },
    order: {
      ...{
        type: 'Dutch_V2',
        reactor: address,
        swapper: address,
        nonce: '1',
        deadline: 1,
        filler: null,
        cosigner: null,
      },
      additionalValidationContract: address,
      additionalValidationData: '0x',
      input: { token: address },
      outputs: [],
      auction: {},
    },
  };
  return { type: 'order-received' as const, id, source: '/test', sequence, time: Date.now(), data };
}

await describeOnServers('downstream of Kafka', { env: process.env, own: ['kafka'] }, () => {
  it('the example prints each order once, although it is on the topic twice; npm run events prints both', async () => {
    const kafka = await startKafka();
    const logger = createLogger({ name: 'test', level: 'silent' });
    const topics = { 'orders.received': ordersReceived };
    const bus = createKafkaBus({ topics, brokers: [kafka.brokers], logger, clock: systemClock });
    const [first, second, third] = [eventOf(1n, 1), eventOf(2n, 2), eventOf(3n, 3)];
    await bus.publish('orders.received', [first, second, first, second, third]);
    const child = spawn(process.execPath, [CONSUMER], {
      env: { ...machineEnv(), KAFKA_BROKERS: kafka.brokers, GROUP: 'example' },
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    try {
      const deadline = Date.now() + 600_000;
      while (output.split('\n').length < 4 && Date.now() < deadline)
        await new Promise((r) => setTimeout(r, 100));
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const ids = output
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: string }).id);
      expect(ids.sort()).toEqual([first, second, third].map(({ id }) => id).sort());
      const printed = await runEvents(kafka.brokers, ['--group', 'people', '--json', '--limit', '5']);
      expect(printed.map(({ id }) => id).sort()).toEqual(
        [first, second, first, second, third].map(({ id }) => id).sort(),
      );
    } finally {
      child.kill('SIGTERM');
      await bus.close();
      await kafka.stop();
    }
  });
});

async function runEvents(brokers: string, args: readonly string[]): Promise<{ id: string }[]> {
  const main = resolve(import.meta.dirname, '../../standalone/src/events/main.ts');
  const child = spawn(process.execPath, [main, '--topic', 'orders.received', ...args], {
    env: { ...machineEnv(), KAFKA_BROKERS: brokers },
    timeout: 600_000,
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await new Promise((done) => child.once('close', done));
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string });
}
