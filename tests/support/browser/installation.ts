/** A running Hindsight with its portal, whichever topology it is. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runAdmin } from '../admin.ts';
import { startHindsight } from '../hindsight-process.ts';

/** Where its parts are, and how it is administered. */
export interface Installation {
  readonly portal: string;
  readonly api: string;
  readonly demoKey: string;
  /** Runs an administration command. @throws {Error} when it fails */
  admin(...words: string[]): Promise<string>;
  /** The link in the last email to an address, if there is no mailbox to read it in. */
  readonly linkTo?: (email: string) => Promise<string>;
  stop(): Promise<void>;
}

/** The embedded default: one process, as `npm start` runs it. */
export async function startEmbedded(settings: Readonly<Record<string, string>> = {}): Promise<Installation> {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'hindsight-browser-'));
  const running = await startHindsight({ DATA_DIR, PORTAL_PORT: '0', LOG_LEVEL: 'warn', ...settings });
  return {
    portal: portalOf(running.output()),
    api: running.url,
    demoKey: running.demoKey,
    admin: adminOn({ DATA_DIR }),
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

/** Administration on the stores that the settings name. */
export function adminOn(settings: Readonly<Record<string, string>>): Installation['admin'] {
  return async (...words) => {
    const { code, stdout, stderr } = await runAdmin(settings, ...words);
    if (code !== 0) throw new Error(`admin ${words.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  };
}
