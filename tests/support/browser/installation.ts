/** A running Hindsight with its portal, on any topology. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runAdmin, runAgain, runEvents } from '../admin.ts';
import { startHindsight } from '../hindsight-process.ts';
import { untilIndexed } from '../until-indexed.ts';

/** Addresses and administration of an installation. */
export interface Installation {
  readonly portal: string;
  readonly api: string;
  readonly demoKey: string;
  /** Runs an administration command. @throws {Error} when it fails */
  admin(...words: string[]): Promise<string>;
  /** Prints events as a consumer gets them. @throws {Error} when it fails */
  events(...words: string[]): Promise<string>;
  /** All emails to an address, each as one text. */
  emailsTo(address: string): Promise<string[]>;
  /** There is no mailbox to read them in. */
  readonly hasNoMailbox?: true;
  stop(): Promise<void>;
}

/** The embedded default: one process, as `npm start` runs it. Resolves once its tokens are listed. */
export async function startEmbedded(settings: Readonly<Record<string, string>> = {}): Promise<Installation> {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'hindsight-browser-'));
  const running = await startHindsight({
    ...{ DATA_DIR, PORTAL_PORT: '0', LOG_LEVEL: 'warn' },
    ...settings,
  });
  await untilIndexed(running.url);
  const portal = portalOf(running.output());
  return {
    portal,
    api: running.url,
    demoKey: running.demoKey,
    ...commandsOn({ DATA_DIR }),
    async emailsTo(address) {
      const mailbox = await (await fetch(`${portal}/outbox`)).text();
      return mailbox.split('<article>').filter((email) => email.includes(`to ${address},`));
    },
    stop: async () => {
      await running.end('SIGTERM');
      rmSync(DATA_DIR, { recursive: true, force: true });
    },
  };
}

/** The portal's address in a start message. */
export function portalOf(output: string): string {
  return /^[ \t]*portal[ \t]+(http:\S+)$/m.exec(output)?.[1] ?? '';
}

/** Commands on the stores that the settings name. */
export function commandsOn(
  settings: Readonly<Record<string, string>>,
): Pick<Installation, 'admin' | 'events'> {
  const command =
    (run: typeof runAdmin): Installation['admin'] =>
    async (...words) => {
      const { code, stdout, stderr } = await runAgain(() => run(settings, ...words));
      if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`);
      return stdout;
    };
  return { admin: command(runAdmin), events: command(runEvents) };
}
