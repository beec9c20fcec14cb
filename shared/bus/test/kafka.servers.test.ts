import { type KafkaServer, startKafka } from '@hindsight/tools/servers/kafka.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { startToxiproxy } from '@hindsight/tools/servers/toxiproxy.ts';
import { Kafka, logLevel } from 'kafkajs';
import { describeBus } from './bus.contract.ts';
import type { BrokerFaults } from './contract/broker.contract.ts';
import type { BusHarness } from './contract/harness.contract.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { createKafkaBus } from '../src/kafka.ts';

/** The least that a broker allows, so that a killed member's partitions are reassigned within the test's time. */
const SESSION_MS = 6_000;

let faults: BrokerFaults;

/** Everything goes through the proxy, except what the tests do past the bus. */
async function start(): Promise<BusHarness> {
  const [server, toxiproxy] = await Promise.all([startKafka({ createsTopics: true }), startToxiproxy()]);
  const proxied = server.throughProxy;
  const proxy = await toxiproxy.client.createProxy({ name: 'kafka', ...proxied });
  const enable = async (enabled: boolean): Promise<void> =>
    void (await proxy.update({ ...proxied, enabled }));
  faults = {
    pause: () => server.pause(),
    resume: () => server.resume(),
    cut: () => enable(false),
    mend: () => enable(true),
    restart: () => server.restart(),
    async crash() {
      await server.kill();
      await server.restart();
    },
    async remove(topic) {
      const admin = clientOf(server).admin();
      await admin.connect();
      await admin.deleteTopics({ topics: [topic] });
      await admin.disconnect();
    },
  };
  return {
    location: { adapter: 'kafka', brokers: proxied.listen },
    open: (options) =>
      createKafkaBus({ ...options, brokers: [proxied.listen], sessionTimeoutMs: SESSION_MS }),
    writeRaw: (topic, headers, value) => writeRaw(server, topic, headers, value),
    async refuseDeadLetters(topic) {
      await limitMessages(server, `${topic}.dead-letter`, '1');
      return () => limitMessages(server, `${topic}.dead-letter`, '4194304');
    },
    async stop() {
      await Promise.all([server.stop(), toxiproxy.stop()]);
    },
  };
}

function clientOf(server: KafkaServer): Kafka {
  return new Kafka({ brokers: [server.brokers], logLevel: logLevel.NOTHING });
}

async function writeRaw(
  server: KafkaServer,
  topic: string,
  headers: Record<string, string>,
  value: string,
): Promise<void> {
  const producer = clientOf(server).producer();
  await producer.connect();
  await producer.send({ topic, messages: [{ headers, value }] });
  await producer.disconnect();
}

async function limitMessages(server: KafkaServer, topic: string, bytes: string): Promise<void> {
  const admin = clientOf(server).admin();
  await admin.connect();
  // 2: a topic (https://kafka.apache.org/protocol, "AlterConfigs").
  const name = 'max.message.bytes';
  const configEntries = [{ name, value: bytes }];
  await admin.alterConfigs({ validateOnly: false, resources: [{ type: 2, name: topic, configEntries }] });
  // The broker receives it from its controller.
  await until('the limit holds', async () => {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: 2, name: topic, configNames: [name] }],
    });
    return resources[0]?.configEntries.some(({ configValue }) => configValue === bytes) === true;
  });
  await admin.disconnect();
}

const needs = { env: process.env, own: ['kafka', 'toxiproxy'] } as const;

await describeOnServers('Bus on Kafka', needs, () => {
  describeBus({ broker: () => faults }, start);
});
