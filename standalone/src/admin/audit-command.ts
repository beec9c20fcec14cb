/** `project audit`: who looked at a project's keys and changed it, filtered, as CSV or NDJSON. */
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import { allEntries, AUDIT_ACTIONS, type AuditFilter } from '@hindsight/projects/audit.ts';
import { auditExport, EXPORT_FORMATS } from '@hindsight/projects/audit-export.ts';
import { startOfDay } from '@hindsight/usage/calendar.ts';
import { Command, InvalidArgumentError, Option } from 'commander';
import { pipeline } from 'node:stream/promises';
import { notEmpty } from '../arguments.ts';
import type { AdminConfig } from './config.ts';
import { findProject, reading } from './session.ts';

interface Options {
  readonly action?: string;
  readonly by?: string;
  readonly from?: number;
  readonly to?: number;
  readonly format: (typeof EXPORT_FORMATS)[number];
}

/** @param config read when the command runs */
export function auditCommand(config: () => AdminConfig): Command {
  return new Command('audit')
    .description('print the audit log of a project, newest first')
    .argument('<project>', 'its id')
    .addOption(new Option('--action <action>', 'only this action, such as key-shown').choices(AUDIT_ACTIONS))
    .option(
      '--by <user>',
      'only this user’s entries, by id; operator for the operator’s',
      notEmpty('the id of a user, or operator'),
    )
    .option('--from <day>', 'from this UTC day on, such as 2026-11-01', day)
    .option('--to <day>', 'up to and including this UTC day', day)
    .addOption(new Option('--format <format>', 'the output format').choices(EXPORT_FORMATS).default('csv'))
    .action((id: string, options: Options) =>
      reading(config(), async (session) => {
        await findProject(session, id);
        const entries = allEntries(session.audit, id, filterOf(options));
        const lines = auditExport(entries, options.format, ({ userId }) => userId ?? 'operator');
        await pipeline(lines, process.stdout, { end: false });
      }),
    );
}

function filterOf({ action, by, from, to }: Options): AuditFilter {
  return {
    action,
    userId: by === 'operator' ? null : by,
    from,
    before: to === undefined ? undefined : to + DAY_MS,
  };
}

function day(word: string): number {
  const at = startOfDay(word);
  if (at === undefined) throw new InvalidArgumentError('Expected a day such as 2026-11-21.');
  return at;
}
