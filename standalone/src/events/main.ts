/**
 * `npm run events -- --topic orders.received --group NAME --json [--limit N]`: subscribes as a downstream consumer
 * would and prints an event a line, from the beginning for a new group. On Kafka where KAFKA_BROKERS is set, else on
 * the embedded log in DATA_DIR.
 */
import { HandlerUnavailable } from '@hindsight/bus/errors.ts';
import { openBus } from '@hindsight/bus/open.ts';
import type { ReceivedEvent } from '@hindsight/bus/port.ts';
import { busSettings, kafkaSettings } from '@hindsight/bus/settings.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { ConfigError, load } from '@hindsight/kernel/config.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { dataDir } from '@hindsight/kernel/service-settings.ts';
import { Command, Option } from 'commander';
import { TOPICS, type Topics } from '@hindsight/events/topics.ts';
import { consumerGroup, wholeNumber } from '../arguments.ts';
import { endWithReader } from '../reader.ts';
import { refuseUnfinished } from '../restore-mark.ts';

interface Options {
  readonly topic: keyof Topics;
  readonly group: string;
  readonly json: boolean;
  readonly limit?: number;
}

const SETTINGS = {
  DATA_DIR: dataDir('the folder of the embedded log'),
  ...kafkaSettings('where events are; the embedded log if not set'),
};

/** Then it says what it waits for. */
const PATIENCE_MS = 3_000;

async function subscribe({ topic, group, json, limit = Infinity }: Options): Promise<void> {
  const config = load(SETTINGS, process.env);
  if (config.KAFKA_BROKERS === undefined) refuseUnfinished(config.DATA_DIR);
  const logger = createLogger({ name: 'events', level: 'silent' });
  const lifecycle = createLifecycle(logger);
  const { bus } = await openBus(busSettings(config), {
    logger,
    clock: systemClock,
    ids: randomIds,
    lifecycle,
  });
  const end = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end.resolve());
  let printed = 0;
  const print = async (events: readonly ReceivedEvent[]): Promise<void> => {
    for (const event of events) {
      // Events after the limit stay for the next reader of the group.
      if (printed === limit) throw new HandlerUnavailable('enough has been printed');
      await write(json ? JSON.stringify(toCloudEvent(event)) : forPeople(event));
      printed++;
    }
    // The subscription is closed only after this handler has resolved, so the offset moves first.
    if (printed === limit) setImmediate(() => end.resolve());
  };
  // One at a time: an event that is not printed because of the limit is not taken from the group either.
  const joined = bus.subscribe({ group, topics: [topic], maxBatch: 1 }, print);
  const waitFor = (what: string): NodeJS.Timeout =>
    setTimeout(() => {
      if (printed === 0) process.stderr.write(`waiting for ${what}\n`);
    }, PATIENCE_MS).unref();
  const { KAFKA_BROKERS, DATA_DIR } = config;
  const connecting = KAFKA_BROKERS && waitFor('Kafka (KAFKA_BROKERS)');
  const ended = joined.then(() => {
    clearTimeout(connecting);
    waitFor(`events of ${topic}, ${KAFKA_BROKERS ? 'on Kafka' : `in ${DATA_DIR} (DATA_DIR)`}`);
    return end.promise;
  });
  // Kafka may be unreachable for good: a signal ends the wait for it, too.
  await Promise.race([ended, end.promise]);
  process.exitCode = await lifecycle.shutdown('done');
}

/** Writes a line. One that cannot be written stays for the next reader of the group: the failure ends the process. */
function write(line: string): Promise<void> {
  return new Promise((written, failed) => {
    process.stdout.write(`${line}\n`, (error) => {
      if (error) failed(new HandlerUnavailable(error.message));
      else written();
    });
  });
}

/** CloudEvents 1.0 in JSON format, with the position in the log. */
function toCloudEvent({ type, id, source, time, sequence, data, topic, partition, offset }: ReceivedEvent) {
  const at = new Date(time).toISOString();
  const numbered = sequence === undefined ? {} : { sequence };
  return { specversion: '1.0', type, id, source, time: at, ...numbered, data, topic, partition, offset };
}

function forPeople({ type, id, time, partition, offset }: ReceivedEvent): string {
  return `${new Date(time).toISOString()}  ${type}  ${id}  (${partition}/${offset})`;
}

const topicOption = new Option('--topic <name>', 'the topic')
  .choices(Object.keys(TOPICS))
  .makeOptionMandatory();

const program = new Command('events')
  .description('Prints events as they come, from the beginning for a new group')
  .addOption(topicOption)
  .requiredOption('--group <name>', 'the consumer group; each group sees each event', consumerGroup)
  .option('--json', 'one event per line, as JSON', false)
  .option('--limit <n>', 'ends after this number of events', wholeNumber)
  .action(subscribe);

endWithReader();
try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}
