/** The portal behind its pages: accounts, and the jobs that run until it stops. */
import { closeAtStop } from '@hindsight/bus/close-at-stop.ts';
import type { EventBus } from '@hindsight/bus/port.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import type { ProjectRepository } from '@hindsight/projects/ports.ts';
import type { AccountStoreSettings } from './adapters/open-accounts.ts';
import { emailAlerts } from './consumers/usage-threshold.ts';
import { originResolver } from './origin.ts';
import type { ConfirmedMailer } from './ports.ts';
import type { PortalSettings } from './settings.ts';
import { UserProjects } from './user-projects.ts';
import { wireAccounts } from './wire-accounts.ts';

export interface PortalWorkDeps extends Platform {
  readonly settings: PortalSettings;
  /** The address that the portal listens on; its origin if `PORTAL_URL` is not set. */
  readonly host: string;
  /** The store of accounts. */
  readonly store: AccountStoreSettings;
  readonly projects: ProjectRepository;
  /** The network for sign-ins with wallets. */
  readonly network: Network;
  /** The network's node. Contract wallets cannot sign in without it. */
  readonly node?: EthereumNode | undefined;
  /** Sends emails in the place of the settings' mail server. */
  readonly mailer?: ConfirmedMailer | undefined;
}

/** Accounts, and the projects of their owners. */
export type PortalWork = Awaited<ReturnType<typeof startPortalWork>>;

/** Opens accounts, and removes those of their sessions and links that have ended. */
export async function startPortalWork(deps: PortalWorkDeps) {
  const originOf = originResolver(deps.settings.PORTAL_URL, deps.host);
  const userProjects = new UserProjects(deps);
  const wired = await wireAccounts({ ...deps, originOf, userProjects });
  return { ...wired, originOf, userProjects };
}

/**
 * Emails owners about their usage until the portal stops.
 * @param bus the source of usage alerts
 * @param origin the portal's public address
 */
export function sendAlerts(
  { bus, ...deps }: Pick<PortalWorkDeps, 'projects' | 'clock'> & { bus: Pick<EventBus, 'subscribe'> },
  { stores, mailer }: Pick<PortalWork, 'stores' | 'mailer'>,
  { origin, lifecycle }: { origin: () => string } & Pick<Platform, 'lifecycle'>,
): void {
  const subscribed = bus.subscribe(
    { group: 'portal-alerts', topics: ['usage.threshold'], maxBatch: 1 },
    emailAlerts({ ...deps, ...stores, mailer, origin }),
  );
  closeAtStop(lifecycle, 'alerts by email', [subscribed]);
}
