/** Before a run: a folder for its temporary files, and the run's servers on offer (none starts before a suite asks). */
import { probesOf } from '@hindsight/tools/servers/probes.ts';
import { offerServers, SHARED_SERVERS } from '@hindsight/tools/servers/shared-servers.ts';
import { packClients } from './clients/packed.ts';
import { makeRunFolder, RUN_FOLDER } from './support/run-folder.ts';
import { startInstallation } from './support/shared-hindsight.ts';
import { join } from 'node:path';

export default async function globalSetup(): Promise<void> {
  const folder = process.env.TMPDIR ? undefined : makeRunFolder();
  // Read by `os.tmpdir()`.
  if (folder !== undefined) process.env[RUN_FOLDER] = process.env.TMPDIR = folder;
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/hindsight-modules');
  // Servers on the JVM live for a minute: what makes it fast in the long run takes half of their processor time.
  process.env.JDK_JAVA_OPTIONS ??= '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';
  const others = { installation: startInstallation, clients: packClients };
  process.env[SHARED_SERVERS] = await offerServers({ ...process.env }, probesOf(process.env), others);
}
