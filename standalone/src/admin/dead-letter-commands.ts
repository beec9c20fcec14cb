/** `dead-letters …`: lists and replays events that consumers could not handle. */
import { isEventOf } from '@hindsight/bus/dead-letter.ts';
import { openBus } from '@hindsight/bus/open.ts';
import { busSettings } from '@hindsight/bus/settings.ts';
import type { DeadLetter, DeadLetterQueue } from '@hindsight/bus/port.ts';
import { ConfigError } from '@hindsight/kernel/config.ts';
import { TOPICS, type Topics } from '@hindsight/events/topics.ts';
import { Command, Option } from 'commander';
import { notEmpty, wholeNumber } from '../arguments.ts';
import { refuseMissingFolder, type AdminConfig } from './config.ts';
import { onPlatform } from './on-platform.ts';
import { command, print, printJson, printTable, type Output } from './output.ts';

type TopicName = keyof Topics;

interface ListOptions extends Output {
  readonly topic?: TopicName;
  readonly limit: number;
}

interface ReplayOptions extends Output {
  readonly topic: TopicName;
  readonly id?: string;
  readonly all?: true;
  readonly limit?: number;
}

const NAMES = Object.keys(TOPICS) as TopicName[];
/** Remembers which dead letters `replay --all` has processed. */
const REPLAY_GROUP = 'hindsight-admin-replay';
/** The topic is read to its end within this time, including replayed events. */
const READ_WITHIN_MS = 60_000;
const DEFAULT_LIMIT = 100;

/** The group of commands. @param config read when a command runs, so that help needs no settings */
export function deadLetterCommands(config: () => AdminConfig): Command {
  return new Command('dead-letters')
    .description('events that could not be processed')
    .addCommand(listCommand(config))
    .addCommand(replayCommand(config));
}

function listCommand(config: () => AdminConfig): Command {
  return command('list', 'list the latest dead letters, oldest first')
    .addOption(new Option('--topic <topic>', 'only this topic').choices(NAMES))
    .option('--limit <n>', 'how many to list per topic', wholeNumber, DEFAULT_LIMIT)
    .action(async ({ topic, limit, json }: ListOptions) => {
      const found = await onBus(config(), async (bus) => {
        const lists = [];
        for (const name of topic === undefined ? NAMES : [topic]) lists.push(await latest(bus, name, limit));
        return lists;
      });
      const deadLetters = found.flatMap((list) => list.deadLetters);
      const total = found.reduce((sum, list) => sum + list.total, 0);
      // `letters`, `putBack` and `left` are released names of the JSON output.
      if (json) return printJson({ letters: deadLetters, total });
      printTable(
        ['position', 'dead-lettered at', 'topic', 'event', 'group', 'replayable', 'reason'],
        deadLetters.map((letter) =>
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
      if (total > deadLetters.length)
        process.stdout.write(`${deadLetters.length} of ${total}; --limit shows more.\n`);
    });
}

function replayCommand(config: () => AdminConfig): Command {
  return command(
    'replay',
    'publish the events of dead letters to their topic again, unchanged; the dead letters are kept',
  )
    .addOption(new Option('--topic <topic>', 'the topic').choices(NAMES).makeOptionMandatory())
    .addOption(
      new Option('--id <event>', 'the event’s id, as `dead-letters list` shows it')
        .argParser(notEmpty('the id of an event'))
        .conflicts('all'),
    )
    .option('--all', 'every dead letter that an earlier --all has not replayed')
    .option('--limit <n>', 'how many to replay at most', wholeNumber)
    .action(async ({ topic, id, all, limit = Infinity, json }: ReplayOptions) => {
      if (id === undefined && !all) throw new Error('choose --id <event> or --all');
      const { replayed, left } = await onBus(config(), (bus) =>
        id === undefined ? replayAll(bus, topic, limit) : replayOne(bus, topic, id),
      );
      if (id !== undefined && replayed + left === 0) {
        throw new Error(`no dead letter of ${topic} has the event "${id}"`);
      }
      print({ json }, { topic, putBack: replayed, left }, { topic, replayed, 'not replayed': left });
      if (left > 0 && !json) {
        process.stdout.write(`Dead letters that are not events of ${topic} cannot be replayed.\n`);
      }
    });
}

/** Numbers of dead letters replayed, and of those that are no events of the topic. */
interface Replayed {
  readonly replayed: number;
  readonly left: number;
}

async function replayAll(bus: DeadLetterQueue, topic: TopicName, limit: number): Promise<Replayed> {
  let [seen, replayed] = [0, 0];
  const options = { group: REPLAY_GROUP, withinMs: READ_WITHIN_MS };
  await bus.readDeadLetters(topic, options, async (batch) => {
    const some = batch.slice(0, limit - seen);
    // Published first, then committed: after a crash in between they are replayed again, as repetitions.
    replayed += await bus.replay(topic, some);
    seen += some.length;
    return some.length;
  });
  return { replayed, left: seen - replayed };
}

/** One event may have several dead letters; it is replayed once. */
async function replayOne(bus: DeadLetterQueue, topic: TopicName, id: string): Promise<Replayed> {
  let [replayed, left] = [0, 0];
  await bus.readDeadLetters(topic, { withinMs: READ_WITHIN_MS }, async (batch) => {
    const named = batch.filter((letter) => idOf(letter) === id);
    const event = named.find((letter) => isEventOf(TOPICS[topic], letter));
    if (event === undefined) {
      left += named.length;
      return batch.length;
    }
    replayed = await bus.replay(topic, [event]);
    left = 0;
    return 0;
  });
  return { replayed, left };
}

async function latest(bus: DeadLetterQueue, topic: TopicName, limit: number) {
  let last: DeadLetter[] = [];
  let total = 0;
  await bus.readDeadLetters(topic, { withinMs: READ_WITHIN_MS }, async (batch) => {
    last = [...last, ...batch.slice(-limit)].slice(-limit);
    total += batch.length;
    return batch.length;
  });
  return { deadLetters: last.map((letter) => toJson(topic, letter)), total };
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

/**
 * Reasons quote the failed input, and ids come from outside: neither may break a line or command a terminal.
 */
function onOneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ');
}

async function onBus<T>(config: AdminConfig, work: (bus: DeadLetterQueue) => Promise<T>): Promise<T> {
  // Services on MongoDB do not use the embedded log: the list would be empty.
  if (config.MONGODB_URL !== undefined && config.KAFKA_BROKERS === undefined) {
    throw new ConfigError(['KAFKA_BROKERS is not set: with MONGODB_URL it must be that of the services']);
  }
  refuseMissingFolder(config, 'KAFKA_BROKERS');
  return onPlatform(async (platform) => {
    const { bus } = await openBus(busSettings(config), platform);
    return work(bus);
  });
}
