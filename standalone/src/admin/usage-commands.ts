/** `usage …`: what projects have used, and what gateways have leased for them. */
import { systemClock } from '@hindsight/kernel/clock.ts';
import { ConfigError } from '@hindsight/kernel/config.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { limitsOf, type Project } from '@hindsight/projects/project.ts';
import { describeThresholds, parseThresholds } from '@hindsight/usage/alerts/thresholds.ts';
import { shownDays } from '@hindsight/usage/breakdown.ts';
import { dayOf, monthOf } from '@hindsight/usage/calendar.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import { compareCounters } from '@hindsight/usage/counters/compare.ts';
import { openCopy, openCounters } from '@hindsight/usage/open-counters.ts';
import type { CountedMonth } from '@hindsight/usage/counters/ports.ts';
import { auditMonth } from '@hindsight/usage/reconcile.ts';
import { Command, InvalidArgumentError } from 'commander';
import { notEmpty, wholeNumber } from '../arguments.ts';
import { refuseMissingFolder, type AdminConfig } from './config.ts';
import { onPlatform } from './on-platform.ts';
import { command, inEnglish, print, printFields, printJson, printTable, type Output } from './output.ts';
import { changing, findProject, reading } from './session.ts';

/** A command may wait longer than a page. */
const REDIS_ANSWERS_WITHIN_MS = 5_000;

interface Options extends Output {
  readonly month?: string;
}

interface ReconcileOptions extends Options {
  readonly redis?: true;
  readonly sample?: number | undefined;
  readonly repair?: true | undefined;
}

/** The group of commands. @param config read when a command runs, so that help needs no settings */
export function usageCommands(config: () => AdminConfig): Command {
  const show = command('show', 'show a project’s usage in a month, and what gateways have leased for it')
    .argument('<project>', 'the project’s id')
    .option('--month <month>', 'a UTC calendar month such as 2026-11; the current one by default', monthWord)
    .option('--exact', 'read MongoDB even if Redis has the counters')
    .action(async (id: string, { json, exact, month = thisMonth() }: Options & { readonly exact?: true }) => {
      const project = await reading(config(), (session) => findProject(session, id));
      const usage = await onUsage(config(), async ({ counters, ledger }) => {
        const counted = await (exact ? ledger : counters).read(id, month);
        // Units that gateways have released are free, though no count has had the copy renewed since.
        return counted.from === 'copy'
          ? { ...counted, taken: (await ledger.read(id, month)).taken }
          : counted;
      });
      if (json) printJson(toJson(project, month, usage));
      else printUsage(project, month, usage);
    });
  return new Command('usage')
    .description('what projects have used')
    .addCommand(show)
    .addCommand(alertsCommand(config))
    .addCommand(reconcileCommand(config));
}

function alertsCommand(config: () => AdminConfig): Command {
  return command('alerts', 'show or set the thresholds at which a project is alerted')
    .argument('<project>', 'the project’s id')
    .option(
      '--set <thresholds>',
      'percentages, such as 50,80,100; none for no alerts',
      notEmpty('percentages, such as 50,80,100, or none'),
    )
    .action(async (id: string, { json, set }: Options & { readonly set?: string }) => {
      const chosen = set === undefined ? undefined : parseThresholds(set === 'none' ? '' : set);
      if (chosen !== undefined) await setThresholds(config(), id, chosen);
      else await reading(config(), (session) => findProject(session, id));
      const found = await onUsage(config(), async ({ alerts }) => {
        const reached = await alerts.reached({ project: id, month: thisMonth() });
        return { thresholds: await alerts.thresholdsOf(id), reached };
      });
      const reached = found.reached.map(
        ({ threshold, at }) => `${threshold}% at ${new Date(at).toISOString()}`,
      );
      print(
        { json },
        { project: id, ...found },
        {
          project: id,
          'alerts at': found.thresholds.map((percent) => `${percent}%`).join(', ') || 'none',
          'reached this month': reached.join(', ') || 'none',
        },
      );
    });
}

function setThresholds(config: AdminConfig, id: string, thresholds: readonly number[]): Promise<void> {
  const store = (): Promise<void> => onUsage(config, ({ alerts }) => alerts.setThresholds(id, thresholds));
  return changing(config, ({ projects }) =>
    projects.changeAlerts(id, { detail: describeThresholds(thresholds), store }),
  );
}

function thisMonth(): string {
  return monthOf(dayOf(systemClock.now()));
}

function reconcileCommand(config: () => AdminConfig): Command {
  return command('reconcile', 'check a month’s counters against the records they are made from')
    .option('--month <month>', 'a UTC calendar month such as 2026-11; the current one by default', monthWord)
    .option('--redis', 'compare the counters in Redis with those in MongoDB instead')
    .option('--sample <projects>', 'with --redis: check about this many, chosen at random', wholeNumber)
    .option('--repair', 'with --redis: remove wrong counters, so that they are read from MongoDB again')
    .action(
      async ({ json, redis, month = thisMonth(), sample, repair }: ReconcileOptions, command: Command) => {
        if (redis) return compareRedis(config(), { json, month, sample, repair });
        if (sample !== undefined || repair) command.error('error: --sample and --repair need --redis');
        const audit = await onUsage(config(), ({ store }) => auditMonth(store, month));
        const { records, requests, orders, held, differing, differences } = audit;
        print({ json }, audit, {
          month,
          projects: records,
          units: requests,
          orders,
          'held by gateways': held,
          differences: differing,
        });
        if (differing === 0) return;
        const rows = differences.map(({ project, comparison, recorded, recomputed }) => [
          project,
          comparison,
          recorded,
          recomputed,
        ]);
        if (!json) printTable(['project', 'comparison', 'recorded', 'recomputed'], rows);
        throw new Error(`the counters of ${month} do not add up: ${differing} differences`);
      },
    );
}

async function compareRedis(
  config: AdminConfig,
  { json, ...choice }: ReconcileOptions & { readonly month: string },
): Promise<void> {
  const { REDIS_URL, MONGODB_URL } = config;
  if (REDIS_URL === undefined || MONGODB_URL === undefined)
    throw new ConfigError(['--redis needs REDIS_URL and MONGODB_URL']);
  const found = await onUsage(config, ({ store, copied }) =>
    compareCounters({ ledger: store, ...copied! }, choice),
  );
  const { month, compared, absent, disagreeing, disagreements } = found;
  print({ json }, found, {
    month,
    'projects compared': compared,
    'not in Redis': absent,
    disagreements: disagreeing,
  });
  if (disagreeing === 0) return;
  const rows = disagreements.map(({ project, kind, copied, recorded }) => [
    project,
    kind,
    ...[copied, recorded].map(
      ({ requests, orders, revision }) =>
        `${inEnglish(requests)} and ${inEnglish(orders)} at ${inEnglish(revision)}`,
    ),
  ]);
  if (!json)
    printTable(['project', 'Redis is', 'units and orders in Redis, at revision', 'in MongoDB'], rows);
  if (!choice.repair)
    throw new Error(`Redis and MongoDB disagree about ${disagreeing} of ${compared} projects`);
}

function monthWord(word: string): string {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(word)) return word;
  throw new InvalidArgumentError('Expected a month such as 2026-11.');
}

type Opened = Awaited<ReturnType<typeof open>>;

async function onUsage<T>(config: AdminConfig, work: (opened: Opened) => Promise<T>): Promise<T> {
  refuseMissingFolder(config);
  return onPlatform(async (platform) => work(await open(config, platform)));
}

async function open(
  { DATA_DIR: dataDir, MONGODB_URL: mongodbUrl, REDIS_URL }: AdminConfig,
  platform: Platform,
) {
  const opened = await openUsage({ dataDir, mongodbUrl }, platform.lifecycle);
  const limits = { redisAnswersWithinMs: REDIS_ANSWERS_WITHIN_MS };
  const copied = await openCopy(opened, REDIS_URL, { ...platform, ...limits });
  return {
    store: opened.usage,
    alerts: opened.alerts,
    copied,
    /** The store, as counters are read. */
    ledger: openCounters(opened, undefined, platform),
    /** By way of Redis where there is one. */
    counters: openCounters(opened, copied, platform),
  };
}

function toJson(project: Project, month: string, usage: CountedMonth) {
  const { requests, orders, taken, days, asOf } = usage;
  const { monthlyLimit } = limitsOf(project);
  return {
    project: project.id,
    plan: project.plan,
    month,
    requests: { used: requests, limit: monthlyLimit, remaining: Math.max(monthlyLimit - requests, 0) },
    heldByGateways: Math.max(taken - requests, 0),
    orders,
    days: shownDays(days),
    asOf: new Date(asOf).toISOString(),
  };
}

function printUsage(project: Project, month: string, usage: CountedMonth): void {
  const { requests, orders, taken, days, asOf } = usage;
  // The limit is today's, which a past month may not have had.
  const isOver = month < thisMonth();
  printFields({
    project: project.id,
    month,
    units: inEnglish(requests) + (isOver ? '' : ` of ${inEnglish(limitsOf(project).monthlyLimit)}`),
    'held by gateways': Math.max(taken - requests, 0),
    orders,
    'as of': new Date(asOf).toISOString(),
  });
  const rows = Object.entries(shownDays(days))
    .sort(([a], [b]) => a.localeCompare(b))
    .flatMap(([day, endpoints]) => Object.entries(endpoints).map((counted) => [day, ...counted]));
  if (rows.length > 0) printTable(['day', 'endpoint', 'units'], rows);
}
