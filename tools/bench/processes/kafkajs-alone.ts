/** kafkajs alone, reading a topic to its end as one writes it by hand. `node kafkajs-alone.ts BROKERS TOPIC EVENTS GROUP` */
import { Kafka, logLevel } from 'kafkajs';

const [brokers = '', topic = '', events = '', group = ''] = process.argv.slice(2);
const total = Number(events);
const kafka = new Kafka({ brokers: [brokers], logLevel: logLevel.NOTHING });
const consumer = kafka.consumer({ groupId: group, maxWaitTimeInMs: 500 });
let [seen, atFirst, begun] = [0, 0, 0];
const all = Promise.withResolvers<undefined>();

await consumer.connect();
await consumer.subscribe({ topics: [topic], fromBeginning: true });
await consumer.run({
  eachBatch: async ({ batch }) => {
    for (const { value } of batch.messages) if (JSON.parse(value?.toString() ?? '')) seen++;
    if (begun === 0) [begun, atFirst] = [performance.now(), seen];
    if (seen >= total) all.resolve(undefined);
  },
});
await all.promise;
const cpu = process.cpuUsage();
const seconds = (performance.now() - begun) / 1_000;
const perEvent = (cpu.user + cpu.system) / total;
console.log(JSON.stringify({ perSecond: (seen - atFirst) / seconds, cpu: perEvent }));
await consumer.disconnect();
