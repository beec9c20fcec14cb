/** `project keys …`: the keys of a project, each with its terms. */
import { dateParam } from '@hindsight/chain/dates/date-param.ts';
import type { ListedKey } from '@hindsight/projects/ports.ts';
import { SCOPES, type KeyChoice, type Scope } from '@hindsight/projects/project-key.ts';
import { refuseWrongSecret } from '@hindsight/projects/wrong-secret.ts';
import { Command, InvalidArgumentError, Option } from 'commander';
import { wholeNumber } from '../arguments.ts';
import type { AdminConfig } from './config.ts';
import { command, print, printJson, printTable, type Output } from './output.ts';
import { changing, findProject, reading } from './session.ts';

/** A word for no limit: the command line has no null. */
const NONE = 'none';

interface Terms extends Output {
  readonly name?: string;
  readonly scopes?: readonly Scope[];
  readonly addresses?: readonly string[];
  readonly origins?: readonly string[];
  readonly expires?: number | 'none';
  readonly cap?: number | 'none';
}

/** The group of commands. @param config read when a command runs, so that help needs no settings */
export function keyCommands(config: () => AdminConfig): Command {
  return new Command('keys')
    .description('the keys of a project')
    .addCommand(list(config))
    .addCommand(create(config))
    .addCommand(update(config))
    .addCommand(revoke(config));
}

function list(config: () => AdminConfig): Command {
  return ofProject('list', 'list the keys of a project, oldest first').action(
    async (project: string, { json }: Output) => {
      const keys = await reading(config(), async (session) => {
        await findProject(session, project);
        return session.projects.listKeys(project);
      });
      if (json) return printJson({ keys: keys.map(toJson) });
      const headings = ['key', 'name', 'ends in', 'scopes', 'cap', 'last used', 'expires', 'status'];
      printTable(headings, keys.map(toRow));
    },
  );
}

function create(config: () => AdminConfig): Command {
  return withTerms(ofProject('create', 'add a key to a project'))
    .requiredOption('--name <name>', 'its name')
    .action(async (project: string, options: Terms) => {
      const { key, secret } = await changing(config(), async ({ projects }) => {
        await refuseWrongSecret(projects);
        return projects.createKey(project, choiceOf(options));
      });
      const { id, name, scopes } = key;
      const fields = { project, id, name, scopes: scopes.join(', '), key: secret };
      print(options, { project, id, key: secret }, fields);
    });
}

function update(config: () => AdminConfig): Command {
  return withTerms(
    ofProject('update', 'change what a key may do; options that are left out stay as they are'),
  )
    .argument('<key>', 'its id')
    .option('--name <name>', 'its name')
    .action(async (project: string, key: string, options: Terms) => {
      await changing(config(), ({ projects }) => projects.updateKey(project, key, choiceOf(options)));
      await printKey(config(), project, key, options);
    });
}

function revoke(config: () => AdminConfig): Command {
  return ofProject('revoke', 'revoke a key immediately')
    .argument('<key>', 'its id')
    .action(async (project: string, key: string, options: Output) => {
      await changing(config(), ({ projects }) => projects.revokeKey(project, key));
      await printKey(config(), project, key, options);
    });
}

async function printKey(config: AdminConfig, project: string, id: string, options: Output): Promise<void> {
  const keys = await reading(config, ({ projects }) => projects.listKeys(project));
  const key = keys.find((each) => each.id === id);
  if (key === undefined) return;
  const { name, scopes } = key;
  print(options, toJson(key), { key: id, name, scopes: scopes.join(', '), status: statusOf(key) });
}

function ofProject(name: string, about: string): Command {
  return command(name, about).argument('<project>', 'the project’s id');
}

function withTerms(target: Command): Command {
  return target
    .addOption(
      new Option('--scopes <scopes>', `what it may do: ${SCOPES.join(', ')}; separated by commas`).argParser(
        (text) => listOf(text) as Scope[],
      ),
    )
    .option('--addresses <list>', 'addresses and CIDR ranges allowed to use it; none for any', listOf)
    .option('--origins <list>', 'origins of web pages allowed to use it; none for any client', listOf)
    .option('--expires <moment>', 'ISO 8601 time at which it expires; none for no expiry', moment)
    .option('--cap <units>', 'units per month; none for no cap', (text) =>
      text === NONE ? NONE : wholeNumber(text),
    );
}

function listOf(text: string): string[] {
  return text === NONE ? [] : text.split(',').map((entry) => entry.trim());
}

function moment(text: string): number | 'none' {
  if (text === NONE) return NONE;
  const { success, data } = dateParam.safeParse(text);
  if (!success) throw new InvalidArgumentError('Expected a moment such as 2026-12-31T00:00:00Z.');
  return data * 1_000;
}

function choiceOf({ name, scopes, addresses, origins, expires, cap }: Terms): KeyChoice {
  return {
    ...(name !== undefined && { name }),
    ...(scopes !== undefined && { scopes }),
    ...(addresses !== undefined && { allowedAddresses: addresses }),
    ...(origins !== undefined && { allowedOrigins: origins }),
    ...(expires !== undefined && { expiresAt: expires === NONE ? null : expires }),
    ...(cap !== undefined && { monthlyCap: cap === NONE ? null : cap }),
  };
}

function toRow(key: ListedKey): (string | number)[] {
  const { id, name, last4, scopes, monthlyCap, lastUsedAt, expiresAt } = key;
  return [
    id,
    name,
    last4 ?? '–',
    scopes.join(', '),
    monthlyCap ?? '–',
    isoOf(lastUsedAt) ?? '–',
    isoOf(expiresAt) ?? '–',
    statusOf(key),
  ];
}

function toJson(key: ListedKey): Record<string, unknown> {
  const { oldEnds, oldUsedAt, createdAt, expiresAt, lastUsedAt, revokedAt, ...rest } = key;
  return {
    ...rest,
    status: statusOf(key),
    createdAt: isoOf(createdAt),
    expiresAt: isoOf(expiresAt),
    lastUsedAt: isoOf(lastUsedAt),
    revokedAt: isoOf(revokedAt),
    oldSecretsEnd: oldEnds.map(isoOf),
    oldSecretsLastUsedAt: isoOf(oldUsedAt),
  };
}

function statusOf({ revokedAt, expiresAt }: ListedKey): string {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= Date.now() ? 'expired' : 'active';
}

function isoOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
