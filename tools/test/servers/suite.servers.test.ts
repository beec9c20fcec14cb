import { expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import { MongoClient } from 'mongodb';
import { describeOnServers } from '../../servers/suite.ts';

await describeOnServers(
  'the servers of a run',
  { env: process.env, shared: ['kafka', 'mongodb', 'redis'] },
  (servers) => {
    it('answer to a Kafka client', async () => {
      const admin = new Kafka({
        brokers: servers.kafka.address.split(','),
        logLevel: logLevel.NOTHING,
      }).admin();
      await admin.connect();
      expect((await admin.describeCluster()).brokers).not.toHaveLength(0);
      await admin.disconnect();
    });

    it('answer to a MongoDB client', async () => {
      const client = new MongoClient(servers.mongodb.address);
      expect(await client.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
      await client.close();
    });

    it('answer to a Redis client', async () => {
      const client = new Redis(servers.redis.address);
      expect(await client.ping()).toBe('PONG');
      client.disconnect();
    });
  },
);
