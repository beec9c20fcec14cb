import type { KafkaServer } from '@hindsight/tools/servers/kafka.ts';
import type { MongodbServer } from '@hindsight/tools/servers/mongodb.ts';
import type { RedisServer } from '@hindsight/tools/servers/redis.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { CHEAP_PATH, type Fleet } from '../../support/gateway-fleet.ts';

/** Three gateways and the metering service, on servers that can be hurt. */
export interface World {
  readonly fleet: Fleet;
  readonly kafka: KafkaServer;
  readonly mongodb: MongodbServer;
  readonly redis: RedisServer;
}

/** Asks every gateway until it answers with 200. */
export async function untilAllAnswer({ urls }: Fleet, key: string): Promise<void> {
  for (const url of urls)
    await until('a gateway answers', async () => {
      const response = await fetch(url + CHEAP_PATH, { headers: { 'x-api-key': key } });
      await response.text();
      return response.status === 200;
    });
}
