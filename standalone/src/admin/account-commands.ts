/** `account …`: the people of the portal, for an operator whose emails do not reach them. */
import type { AccountAdmin } from '@hindsight/portal/service.ts';
import { Command } from 'commander';
import { wholeNumber } from '../arguments.ts';
import type { AdminConfig } from './config.ts';
import { command, print, printJson, printTable, type Output } from './output.ts';
import { withAccounts } from './with-accounts.ts';

type Account = Awaited<ReturnType<AccountAdmin['list']>>[number];

const MAX_LISTED = 1_000;

/** The group of commands. @param config read when a command runs, so that help needs no settings */
export function accountCommands(config: () => AdminConfig): Command {
  return new Command('account')
    .description('the accounts of the portal')
    .addCommand(list(config))
    .addCommand(confirm(config))
    .addCommand(reset(config));
}

function list(config: () => AdminConfig): Command {
  return command('list', 'list accounts, in the order of their ids')
    .option('--after <id>', 'the last id of the page before', '')
    .option('--limit <n>', `list at most this many, up to ${MAX_LISTED}`, wholeNumber, 100)
    .action(async ({ after, limit, json }: Output & { readonly after: string; readonly limit: number }) => {
      const count = Math.min(limit, MAX_LISTED);
      const accounts = await withAccounts(config(), (admin) => admin.list(after, count));
      if (json) return printJson({ accounts: accounts.map(describe) });
      const rows = accounts.map((account) => Object.values(describe(account)));
      printTable(['account', 'email', 'signs in with', 'created'], rows);
    });
}

function confirm(config: () => AdminConfig): Command {
  return command('confirm', 'create the account of a sign-up whose email did not arrive')
    .argument('<email>', 'the address that signed up in the last 24 hours')
    .action(async (email: string, { json }: Output) => {
      const account = await withAccounts(config(), (admin) => admin.confirm(email));
      if (account === null) throw new Error(`no sign-up of ${email} is waiting`);
      if (account.passwordHash === null)
        process.stderr.write(
          'Several browsers have signed up with this address, so the account has no password: `account reset` prints a link to set one.\n',
        );
      print({ json }, describe(account), describe(account));
    });
}

function reset(config: () => AdminConfig): Command {
  return command('reset', 'print a link that sets a new password, once, within an hour')
    .argument('<email>', 'the address of the account')
    .action(async (email: string, { json }: Output) => {
      const { PORTAL_URL } = config();
      if (PORTAL_URL === undefined)
        throw new Error(
          'PORTAL_URL is not set: the link begins with the address of the portal, such as ' +
            'PORTAL_URL=http://127.0.0.1:8090 npm run admin -- account reset …',
        );
      const path = await withAccounts(config(), (admin) => admin.reset(email));
      if (path === null) throw new Error(`${email} has no account`);
      const link = PORTAL_URL.replace(/\/$/, '') + path;
      if (json) printJson({ link });
      else process.stdout.write(`${link}\n`);
    });
}

/** Neither hashes nor the names of providers' accounts: who may see a list need not see these. */
function describe({ id, email, passwordHash, identities, createdAt }: Account): Record<string, string> {
  const ways = [...(passwordHash === null ? [] : ['password']), ...identities.map((each) => each.provider)];
  const created = new Date(createdAt).toISOString();
  return { account: id, email: email ?? '–', signs_in_with: ways.join(', '), created };
}
