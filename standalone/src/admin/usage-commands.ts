/** `usage …`: what projects have used, and what gateways have leased for them. */
import { systemClock } from '@hindsight/kernel/clock.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { ProjectNotFound } from '@hindsight/projects/ports.ts';
import { limitsOf, type Project } from '@hindsight/projects/project.ts';
import { dayOf, monthOf } from '@hindsight/usage/calendar.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import type { MonthUsage, UsageStore } from '@hindsight/usage/ports.ts';
import { auditMonth } from '@hindsight/usage/reconcile.ts';
import { Command, InvalidArgumentError } from 'commander';
import type { AdminConfig } from './config.ts';
import { printFields, printJson, printTable } from './output.ts';
import { reading } from './session.ts';

interface Options {
  readonly json?: true;
  readonly month?: string;
}

/** The group of commands. @param config read when a command runs, so that help needs no settings */
export function usageCommands(config: () => AdminConfig): Command {
  const show = new Command('show')
    .description('show what a project has used of a month, and what gateways have leased for it')
    .argument('<project>', 'the project’s id')
    .option('--month <month>', 'a UTC calendar month such as 2026-11; this one by default', monthWord)
    .option('--json', 'print JSON')
    .action(async (id: string, { json, month = monthOf(dayOf(systemClock.now())) }: Options) => {
      const project = await reading(config(), ({ projects }) => projects.findById(id));
      if (project === null) throw new ProjectNotFound(id);
      const usage = await onUsage(config(), (store) => store.read(id, month));
      if (json) printJson(toJson(project, month, usage));
      else print(project, month, usage);
    });
  return new Command('usage')
    .description('what projects have used')
    .addCommand(show)
    .addCommand(reconcileCommand(config));
}

function reconcileCommand(config: () => AdminConfig): Command {
  return new Command('reconcile')
    .description('compare the counters of a month with what they are made of')
    .option('--month <month>', 'a UTC calendar month such as 2026-11; this one by default', monthWord)
    .option('--json', 'print JSON')
    .action(async ({ json, month = monthOf(dayOf(systemClock.now())) }: Options) => {
      const audit = await onUsage(config(), (store) => auditMonth(store, month));
      if (json) return printJson(audit);
      const { records, requests, orders, held, differing, differences } = audit;
      const sums = { projects: records, requests, orders, 'held by gateways': held, differences: differing };
      printFields({
        month,
        ...Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, inEnglish(sum)])),
      });
      if (differing === 0) return;
      const rows = differences.map(({ project, comparison, recorded, recomputed }) => [
        project,
        comparison,
        ...[recorded, recomputed].map(inEnglish),
      ]);
      printTable(['project', 'comparison', 'recorded', 'recomputed'], rows);
    });
}

function inEnglish(number: number): string {
  return number.toLocaleString('en');
}

function monthWord(word: string): string {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(word)) return word;
  throw new InvalidArgumentError('Expected a month such as 2026-11.');
}

async function onUsage<T>(config: AdminConfig, work: (usage: UsageStore) => Promise<T>): Promise<T> {
  const lifecycle = createLifecycle(createLogger({ name: 'admin', level: 'silent' }));
  try {
    const settings = { dataDir: config.DATA_DIR, mongodbUrl: config.MONGODB_URL };
    const { usage } = await openUsage(settings, lifecycle);
    return await work(usage);
  } finally {
    await lifecycle.shutdown('done');
  }
}

function toJson(project: Project, month: string, { requests, orders, taken, days }: MonthUsage) {
  const { monthlyLimit } = limitsOf(project);
  return {
    project: project.id,
    plan: project.plan,
    month,
    requests: { used: requests, limit: monthlyLimit, remaining: Math.max(monthlyLimit - requests, 0) },
    heldByGateways: Math.max(taken - requests, 0),
    orders,
    days,
  };
}

function print(project: Project, month: string, { requests, orders, taken, days }: MonthUsage): void {
  printFields({
    project: project.id,
    month,
    requests: `${requests.toLocaleString('en')} of ${limitsOf(project).monthlyLimit.toLocaleString('en')}`,
    'held by gateways': Math.max(taken - requests, 0).toLocaleString('en'),
    orders: orders.toLocaleString('en'),
  });
  const rows = Object.entries(days)
    .sort(([a], [b]) => a.localeCompare(b))
    .flatMap(([day, endpoints]) =>
      Object.entries(endpoints).map(([endpoint, count]) => [day, endpoint, count.toLocaleString('en')]),
    );
  if (rows.length > 0) printTable(['day', 'endpoint', 'requests'], rows);
}
