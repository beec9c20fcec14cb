/** After a run: ends the servers that its suites have asked for. */
import { SHARED_SERVERS, stopServers } from '@hindsight/deploy/servers/shared-servers.ts';

export default async function globalTeardown(): Promise<void> {
  const address = process.env[SHARED_SERVERS];
  if (address !== undefined) await stopServers(address);
}
