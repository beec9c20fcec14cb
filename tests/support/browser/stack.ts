/** The portal of a stack that runs, on the production topology. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningStack } from '../running-stack.ts';
import { commandsOn, portalOf, type Installation } from './installation.ts';

/** A stack as people meet it. Who has started it ends it. */
export function installationOf(stack: RunningStack): Installation {
  const { gateway, env } = stack.file();
  return {
    portal: portalOf(stack.output),
    api: gateway[0]?.url ?? '',
    demoKey: /demo key\s+(\S+)/.exec(stack.output)?.[1] ?? '',
    ...commandsOn(env),
    emailsTo: async (address) => printedEmails(join(stack.folder, 'logs', 'portal-1.log'), address),
    hasNoMailbox: true,
    stop: () => Promise.resolve(),
  };
}

/** Without a mail server emails are logged. */
function printedEmails(log: string, address: string): string[] {
  const lines = readFileSync(log, 'utf8').split('\n');
  return lines
    .filter((line) => line.includes(`"to":"${address}"`))
    .map((line) => JSON.parse(line) as { subject: string; msg: string })
    .map(({ subject, msg }) => `${subject}\n${msg}`);
}
