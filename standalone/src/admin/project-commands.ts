/** `project …`: projects, their plans and their keys. */
import { readPages } from '@hindsight/kernel/pages.ts';
import { createProject } from '@hindsight/projects/create-project.ts';
import type { ListedKey } from '@hindsight/projects/ports.ts';
import { refuseWrongSecret, WrongSecret } from '@hindsight/projects/wrong-secret.ts';
import {
  InvalidProject,
  limitsOf,
  PLAN_NAMES,
  type PlanName,
  type Project,
} from '@hindsight/projects/project.ts';
import { Command, Option } from 'commander';
import { duration, notEmpty, wholeNumber } from '../arguments.ts';
import { auditCommand } from './audit-command.ts';
import type { AdminConfig } from './config.ts';
import { keyCommands } from './key-commands.ts';
import { command, print, printJson, printTable, type Output } from './output.ts';
import { changing, findProject, making, reading } from './session.ts';
import { withAccounts } from './with-accounts.ts';

interface PlanOptions extends Output {
  readonly plan: PlanName;
  readonly monthlyLimit?: number;
  readonly rate?: number;
}

/** @param config read when a command runs, so that help needs no settings */
type ReadConfig = () => AdminConfig;

const PAGE = 200;

export function projectCommands(config: ReadConfig): Command {
  return new Command('project')
    .description('projects, their plans and their keys')
    .addCommand(create(config))
    .addCommand(list(config))
    .addCommand(show(config))
    .addCommand(auditCommand(config))
    .addCommand(setPlan(config))
    .addCommand(status(config, 'suspend', 'suspend a project: its requests get 403'))
    .addCommand(status(config, 'resume', 'resume a suspended project'))
    .addCommand(rotate(config))
    .addCommand(remove(config))
    .addCommand(keyCommands(config));
}

function create(config: ReadConfig): Command {
  return withPlan(command('create', 'create a project with a new key'))
    .requiredOption('--name <name>', 'its name')
    .option('--owner <user>', 'the id of the portal user who owns it')
    .action(async (options: PlanOptions & { readonly name: string; readonly owner?: string }) => {
      const { owner, ...rest } = options;
      if (owner !== undefined && !(await withAccounts(config(), (admin) => admin.exists(owner))))
        throw new Error(`--owner ${owner}: no account has this id; account list shows them`);
      const request = owner === undefined ? rest : { ...rest, ownerId: owner };
      const { project, key } = await making(config(), async ({ projects, platform }) => {
        const limited = withLimits(request);
        await refuseWrongSecret(projects);
        return createProject({ projects, ...platform }, limited);
      });
      print(options, { project: project.id, key }, { ...describe(project), key });
    });
}

function list(config: ReadConfig): Command {
  return command('list', 'list all projects, oldest first').action(async (options: Output) => {
    const all = await reading(config(), ({ projects }) =>
      Array.fromAsync(readPages<Project>(PAGE, (after) => projects.list(PAGE, after))),
    );
    if (options.json) return printJson({ projects: all.map(toJson) });
    const rows = all.map((project) => Object.values(describe(project)));
    printTable(['project', 'name', 'plan', 'per month', 'per second', 'status', 'created'], rows);
  });
}

function show(config: ReadConfig): Command {
  return command('show', 'show a project')
    .argument('<project>', 'its id')
    .option('--key', 'also show its key')
    .action(async (id: string, options: Output & { readonly key?: true }) => {
      const { project, key } = await reading(config(), async (session) => ({
        project: await findProject(session, id),
        key: options.key ? await session.projects.showKey(id) : null,
      }));
      const shown = key === null ? {} : { key };
      const fields = { ...describe(project), owner: project.ownerId ?? '–', ...shown };
      print(options, { ...toJson(project), ...shown }, fields);
    });
}

function setPlan(config: ReadConfig): Command {
  return withPlan(command('set-plan', 'set a project’s plan'))
    .argument('<project>', 'its id')
    .action(async (id: string, options: PlanOptions) => {
      printProject(
        await changing(config(), ({ projects }) => projects.setPlan(id, withLimits(options))),
        options,
      );
    });
}

function status(config: ReadConfig, change: 'suspend' | 'resume', about: string): Command {
  return command(change, about)
    .argument('<project>', 'its id')
    .action(async (id: string, options: Output) => {
      printProject(await changing(config(), ({ projects }) => projects[change](id)), options);
    });
}

function rotate(config: ReadConfig): Command {
  return command('rotate', 'replace a project’s key with a new one')
    .argument('<project>', 'its id')
    .option('--key <id>', 'which of its keys; the oldest by default', notEmpty('the id of a key'))
    .addOption(
      new Option('--grace <duration>', 'how long old keys keep working, such as 0, 15m, 24h, 7d')
        .argParser(duration)
        .default(duration('24h'), '24h'),
    )
    .action(async (id: string, options: Output & { readonly grace: number; readonly key?: string }) => {
      const { project, key } = await changing(config(), async ({ projects }) => {
        const rotated = { graceMs: options.grace, ...(options.key && { keyId: options.key }) };
        await refuseWrongSecret(projects).catch(warnOfWrongSecret);
        // Before the change, so that no fault of the warning costs the new key.
        warnOfExpiry(await projects.listKeys(id), options.key);
        return projects.rotate(id, rotated);
      });
      print(options, { project: project.id, key }, { ...describe(project), key });
    });
}

/** After the loss of a secret this is the way to a key that works. */
function warnOfWrongSecret(error: unknown): void {
  if (!(error instanceof WrongSecret)) throw error;
  process.stderr.write(
    `warning: ${error.message}; only processes with this SECRETS_KEY will accept the new key\n`,
  );
}

/** The new secret has the terms of the old one. @param id the oldest key if not given */
function warnOfExpiry(keys: readonly ListedKey[], id: string | undefined): void {
  const key = keys.find((each) => each.revokedAt === null && each.id === (id ?? each.id));
  if (!key?.expiresAt || key.expiresAt > Date.now()) return;
  const end = new Date(key.expiresAt).toISOString();
  process.stderr.write(
    `warning: the key ${key.id} expired at ${end}; gateways refuse it until project keys update gives it another --expires\n`,
  );
}

function remove(config: ReadConfig): Command {
  return command('delete', 'delete a project and its keys permanently; usage and audit log are kept')
    .argument('<project>', 'its id')
    .requiredOption('--confirm <name>', 'the project’s name')
    .action(async (id: string, options: Output & { readonly confirm: string }) => {
      const deleted = await changing(config(), async (session) => {
        const project = await findProject(session, id);
        if (project.name !== options.confirm)
          throw new Error(
            `--confirm is not the name of the project, which is ${JSON.stringify(project.name)}`,
          );
        await session.projects.delete(id);
        return { ...project, status: 'deleted' as const };
      });
      printProject(deleted, options);
    });
}

function withPlan(target: Command): Command {
  return target
    .addOption(new Option('--plan <plan>', 'its plan').choices(PLAN_NAMES).makeOptionMandatory())
    .option('--monthly-limit <units>', 'units per month (Enterprise only)', wholeNumber)
    .option('--rate <requests>', 'requests per second (Enterprise only)', wholeNumber);
}

/** @throws {InvalidProject} with the options that the Enterprise plan lacks */
function withLimits<T extends Omit<PlanOptions, 'json'>>(options: T): T {
  const { plan, monthlyLimit, rate } = options;
  if (plan !== 'enterprise') return options;
  const missing = [
    ...(monthlyLimit === undefined ? ['--monthly-limit <units>'] : []),
    ...(rate === undefined ? ['--rate <requests>'] : []),
  ];
  if (missing.length === 0) return options;
  throw new InvalidProject(`the Enterprise plan has no limits of its own; add ${missing.join(' and ')}`);
}

function printProject(project: Project, options: Output): void {
  print(options, toJson(project), describe(project));
}

function toJson(project: Project): Record<string, unknown> {
  const { id, name, ownerId, plan, demo, status: state, createdAt } = project;
  const { monthlyLimit, rate } = limitsOf(project);
  return {
    project: id,
    name,
    owner: ownerId,
    plan,
    monthlyLimit,
    rate,
    status: state,
    demo,
    createdAt: new Date(createdAt).toISOString(),
  };
}

function describe(project: Project): Record<string, string | number> {
  const { monthlyLimit, rate } = limitsOf(project);
  return {
    project: project.id,
    name: project.name,
    plan: project.plan,
    'per month': monthlyLimit,
    'per second': rate,
    status: project.status,
    created: new Date(project.createdAt).toISOString(),
  };
}
