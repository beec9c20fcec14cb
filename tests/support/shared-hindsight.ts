/**
 * One installation for all suites of a run that only send it requests: starting one and its chain takes
 * several seconds of processor time. A suite makes its own keys (`makeFastKey`); one that ends the process,
 * changes settings or counts all requests starts its own (`startHindsight`).
 */
import { askForOther, SHARED_SERVERS } from '@hindsight/tools/servers/shared-servers.ts';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHindsight, type HindsightProcess } from './hindsight-process.ts';
import { untilIndexed } from './until-indexed.ts';

/** Addresses of the installation. */
export interface SharedHindsight extends Pick<HindsightProcess, 'url' | 'portalUrl' | 'demoKey'> {
  readonly dataDir: string;
  /** The file with what it prints. */
  readonly log: string;
}

/** The installation of the run; waits while it starts. */
export function sharedHindsight(env: NodeJS.ProcessEnv): Promise<SharedHindsight> {
  const address = env[SHARED_SERVERS];
  if (address === undefined) throw new Error(`${SHARED_SERVERS} is not set: run tests with npm test`);
  return askForOther(address, 'installation');
}

/** Starts it, for the process that starts the run; resolves once its tokens are listed. */
export async function startInstallation(): Promise<SharedHindsight & { readonly stop: () => Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-shared-'));
  const log = join(dataDir, 'output.log');
  const hindsight = await startHindsight({ DATA_DIR: dataDir });
  const { url, portalUrl, demoKey, child } = hindsight;
  writeFileSync(log, hindsight.output());
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => appendFileSync(log, chunk));
  await untilIndexed(url);
  const stop = async (): Promise<void> => {
    await hindsight.end('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { url, portalUrl, demoKey, dataDir, log, stop };
}
