import type { Command } from 'commander';
import { createInterface } from 'node:readline';
import { openInput } from '../input.ts';
import { access, clientOf, note, type Context } from '../context.ts';
import { UsageError } from '../exit-codes.ts';
import { loginPath, writeLogin } from '../stored-login.ts';

/** `hindsight login`: the key comes from standard input, so that it stands in no list of processes and no history. */
export function loginCommand(program: Command, context: Context): void {
  program
    .command('login')
    .description('store the API key, in a file that only you can read')
    .option('--url <url>', 'where the API is (default: HINDSIGHT_URL, or http://127.0.0.1:8080)')
    .action(async () => {
      if (context.stdin.isTTY) note(context, 'Paste the API key (Project ID), then Enter:');
      const apiKey = await readLine(context);
      if (apiKey === '') throw new UsageError('no API key on standard input');
      const { url } = access(context);
      const { plan } = await clientOf({ url, apiKey }).usage(context.signal);
      const path = loginPath(context.env);
      writeLogin(path, { url, apiKey });
      note(context, `Logged in to ${url} (${plan} plan); stored in ${path}`);
    });
}

async function readLine(context: Context): Promise<string> {
  const lines = createInterface({ input: await openInput(context, '-') });
  try {
    for await (const line of lines) return line.trim();
    return '';
  } finally {
    lines.close();
  }
}
