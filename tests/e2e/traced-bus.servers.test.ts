import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { describeTracedBus } from './traced-bus.contract.ts';

await describeOnServers('The traced bus', { env: process.env, shared: ['kafka'] }, ({ kafka }) => {
  describeTracedBus('Kafka', () => ({ dataDir: '', brokers: kafka.address.split(',') }));
});
