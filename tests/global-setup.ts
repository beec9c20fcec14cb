/** Before a run: offers the run's servers to its suites (none is started before a suite asks). */
import { probesOf } from '@hindsight/deploy/servers/probes.ts';
import { offerServers, SHARED_SERVERS } from '@hindsight/deploy/servers/shared-servers.ts';

export default async function globalSetup(): Promise<void> {
  process.env[SHARED_SERVERS] = await offerServers({ ...process.env }, probesOf(process.env));
}
