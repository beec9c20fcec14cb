/** `dead-letters …`: what consumers gave up, and how it is put back. */
import { isEventOf } from '@hindsight/bus/dead-letter-queue.ts';
import { openBus } from '@hindsight/bus/open.ts';
import { busSettings } from '@hindsight/bus/settings.ts';
import type { DeadLetter, DeadLetterQueue } from '@hindsight/bus/port.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { ConfigError } from '@hindsight/kernel/config.ts';
import { TOPICS, type Topics } from '@hindsight/events/topics.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { Command, Option } from 'commander';
import { wholeNumber } from '../arguments.ts';
import type { AdminConfig } from './config.ts';
import { printFields, printJson, printTable } from './output.ts';

type TopicName = keyof Topics;

interface ListOptions {
  readonly topic?: TopicName;
  readonly limit: number;
  readonly json?: true;
}

interface ReplayOptions {
  readonly topic: TopicName;
  readonly id?: string;
  readonly all?: true;
  readonly limit?: number;
  readonly json?: true;
}

const NAMES = Object.keys(TOPICS) as TopicName[];
/** Remembers which letters `replay --all` has dealt with. */
const REPLAY_GROUP = 'hindsight-admin-replay';
/** The topic is read to its end within this, whatever is put back meanwhile. */
const READ_WITHIN_MS = 60_000;
const DEFAULT_LIMIT = 100;

/** The group of commands. @param config read when a command runs, so that help needs no settings */
export function deadLetterCommands(config: () => AdminConfig): Command {
  return new Command('dead-letters')
    .description('events that a consumer gave up')
    .addCommand(listCommand(config))
    .addCommand(replayCommand(config));
}

function listCommand(config: () => AdminConfig): Command {
  return new Command('list')
    .description('list the latest dead letters, oldest first')
    .addOption(new Option('--topic <topic>', 'of this topic only').choices(NAMES))
    .option('--limit <n>', 'letters of a topic at most', wholeNumber, DEFAULT_LIMIT)
    .option('--json', 'print JSON')
    .action(async ({ topic, limit, json }: ListOptions) => {
      const found = await onBus(config(), async (bus) => {
        const lists = [];
        for (const name of topic === undefined ? NAMES : [topic]) lists.push(await latest(bus, name, limit));
        return lists;
      });
      const letters = found.flatMap((list) => list.letters);
      const total = found.reduce((sum, list) => sum + list.total, 0);
      if (json) return printJson({ letters, total });
      printTable(
        ['position', 'given up', 'topic', 'event', 'group', 'can be put back', 'reason'],
        letters.map((letter) =>
          [
            letter.position,
            letter.at,
            letter.topic,
            letter.event,
            letter.group,
            letter.replayable ? 'yes' : `no (${letter.type})`,
            letter.reason,
          ].map(onOneLine),
        ),
      );
      if (total > letters.length)
        process.stdout.write(`${letters.length} of ${total}; --limit shows more.\n`);
    });
}

function replayCommand(config: () => AdminConfig): Command {
  return new Command('replay')
    .description('put the events of dead letters back on their topic, as they were; the letters stay')
    .addOption(new Option('--topic <topic>', 'the topic').choices(NAMES).makeOptionMandatory())
    .addOption(new Option('--id <event>', 'the event’s id, as `dead-letters list` shows it').conflicts('all'))
    .option('--all', 'all that no `--all` has put back before')
    .option('--limit <n>', 'letters at most', wholeNumber)
    .option('--json', 'print JSON')
    .action(async ({ topic, id, all, limit = Infinity, json }: ReplayOptions) => {
      if (id === undefined && !all) throw new Error('say which: --id <event> or --all');
      const { putBack, left } = await onBus(config(), (bus) =>
        id === undefined ? replayAll(bus, topic, limit) : replayOne(bus, topic, id),
      );
      if (id !== undefined && putBack + left === 0) {
        throw new Error(`no dead letter of ${topic} has the event "${id}"`);
      }
      if (json) return printJson({ topic, putBack, left });
      printFields({ topic, 'put back': inEnglish(putBack), 'not put back': inEnglish(left) });
      if (left > 0) {
        process.stdout.write(`What is not put back is no event of ${topic}: nothing was to be published.\n`);
      }
    });
}

/** How many letters were put back, and how many are no events of the topic. */
interface Replayed {
  readonly putBack: number;
  readonly left: number;
}

async function replayAll(bus: DeadLetterQueue, topic: TopicName, limit: number): Promise<Replayed> {
  let [seen, putBack] = [0, 0];
  const options = { group: REPLAY_GROUP, withinMs: READ_WITHIN_MS };
  await bus.readDeadLetters(topic, options, async (letters) => {
    const some = letters.slice(0, limit - seen);
    // First on the topic, then out of the way: cut off in between, they are put back again, as the repetitions they are.
    putBack += await bus.replay(topic, some);
    seen += some.length;
    return some.length;
  });
  return { putBack, left: seen - putBack };
}

/** One event may have several letters; it is put back once. */
async function replayOne(bus: DeadLetterQueue, topic: TopicName, id: string): Promise<Replayed> {
  let [putBack, left] = [0, 0];
  await bus.readDeadLetters(topic, { withinMs: READ_WITHIN_MS }, async (letters) => {
    const named = letters.filter((letter) => idOf(letter) === id);
    const event = named.find((letter) => isEventOf(TOPICS[topic], letter));
    if (event === undefined) {
      left += named.length;
      return letters.length;
    }
    putBack = await bus.replay(topic, [event]);
    left = 0;
    return 0;
  });
  return { putBack, left };
}

async function latest(bus: DeadLetterQueue, topic: TopicName, limit: number) {
  let last: DeadLetter[] = [];
  let total = 0;
  await bus.readDeadLetters(topic, { withinMs: READ_WITHIN_MS }, async (batch) => {
    last = [...last, ...batch.slice(-limit)].slice(-limit);
    total += batch.length;
    return batch.length;
  });
  return { letters: last.map((letter) => toJson(topic, letter)), total };
}

function toJson(topic: TopicName, letter: DeadLetter) {
  return {
    topic,
    position: `${letter.partition}/${letter.offset}`,
    at: new Date(letter.at).toISOString(),
    event: idOf(letter),
    type: letter.headers.ce_type ?? '',
    group: letter.group,
    reason: letter.reason,
    replayable: isEventOf(TOPICS[topic], letter),
  };
}

function idOf({ headers }: DeadLetter): string {
  return headers.ce_id ?? '';
}

/** Reasons quote what failed, and ids come from outside: neither breaks a line or commands a terminal. */
function onOneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ');
}

function inEnglish(number: number): string {
  return number.toLocaleString('en');
}

async function onBus<T>(config: AdminConfig, work: (bus: DeadLetterQueue) => Promise<T>): Promise<T> {
  // Services on MongoDB do not use the embedded log: it would seem that there are no letters.
  if (config.MONGODB_URL !== undefined && config.KAFKA_BROKERS === undefined) {
    throw new ConfigError(['KAFKA_BROKERS is not set: with MONGODB_URL it must be that of the services']);
  }
  const logger = createLogger({ name: 'admin', level: 'silent' });
  const lifecycle = createLifecycle(logger);
  try {
    const { bus } = await openBus(busSettings(config), {
      logger,
      clock: systemClock,
      ids: randomIds,
      lifecycle,
    });
    return await work(bus);
  } finally {
    await lifecycle.shutdown('done');
  }
}
