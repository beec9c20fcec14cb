/**
 * Loaded before a service (`node --import`): brokers keep the partitions of its dead members for a minute, so that what becomes
 * of them sooner is not the broker's work, however slow the machine.
 */
import { type Consumer, type ConsumerConfig, Kafka } from 'kafkajs';

const KEPT_MS = 60_000;

const consumer: (this: Kafka, config: ConsumerConfig) => Consumer = Reflect.get(Kafka.prototype, 'consumer');
Kafka.prototype.consumer = function (config) {
  return consumer.call(this, { ...config, sessionTimeout: KEPT_MS });
};
