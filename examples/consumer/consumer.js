// Follows orders.received on Kafka: each order once, in whatever language you use. npm install kafkajs, then:
//   KAFKA_BROKERS=127.0.0.1:9092 GROUP=my-group node consumer.js
import { Kafka, logLevel } from 'kafkajs';

const brokers = (process.env.KAFKA_BROKERS ?? '127.0.0.1:9092').split(',');
const { KAFKA_USERNAME: username, KAFKA_PASSWORD: password } = process.env;
const sasl = username === undefined ? undefined : { mechanism: 'plain', username, password };
const kafka = new Kafka({ brokers, sasl, logLevel: logLevel.ERROR });
const consumer = kafka.consumer({ groupId: process.env.GROUP ?? 'example' });

// Delivery is at least once: a repeated event has the same ce_id. Keep the ids where you keep what you make of the
// orders, in the same transaction; this example forgets them when it ends.
const seen = new Set();

await consumer.connect();
await consumer.subscribe({ topics: ['orders.received'], fromBeginning: true });
await consumer.run({
  eachMessage: async ({ message }) => {
    const id = message.headers.ce_id.toString();
    if (message.headers.ce_type.toString() !== 'order-received' || seen.has(id)) return;
    const { order, receivedAt } = JSON.parse(message.value.toString());
    const { type, swapper, input, outputs, deadline } = order;
    console.log(JSON.stringify({ id, receivedAt, type, swapper, input, outputs, deadline }));
    seen.add(id);
  },
});

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => consumer.disconnect());
