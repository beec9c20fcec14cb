/** After a run: ends the servers that its suites have asked for, and removes its temporary files. */
import { SHARED_SERVERS, stopServers } from '@hindsight/tools/servers/shared-servers.ts';
import { rmSync } from 'node:fs';
import { RUN_FOLDER } from './support/run-folder.ts';

export default async function globalTeardown(): Promise<void> {
  const address = process.env[SHARED_SERVERS];
  if (address !== undefined) await stopServers(address);
  const folder = process.env[RUN_FOLDER];
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
