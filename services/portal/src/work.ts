/** The portal behind its pages: accounts, and the jobs that run until it stops. */
import { closeAtStop } from '@hindsight/bus/close-at-stop.ts';
import type { EventBus } from '@hindsight/bus/port.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { once } from '@hindsight/kernel/once.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import type { ProjectRepository } from '@hindsight/projects/ports.ts';
import type { StorePlace } from '@hindsight/stores/place.ts';
import { createAccountChanges } from './accounts/account-changes.ts';
import { createAttempts } from './accounts/attempts.ts';
import { createCookies } from './accounts/cookies.ts';
import { createIdentities } from './accounts/identities.ts';
import { createKnownBrowsers } from './accounts/known-browsers.ts';
import { createPasswordSignIn } from './accounts/passwords.ts';
import { createProviderSignIn, type Providers } from './accounts/provider-sign-in.ts';
import { createSessionKeeper } from './accounts/session-keeper.ts';
import { createSignUps } from './accounts/sign-ups.ts';
import { createWalletSignIn } from './accounts/wallet-sign-in.ts';
import { createArgon2Passwords } from './adapters/argon2-passwords.ts';
import { createMissingMailer, createMailbox } from './adapters/mailbox.ts';
import { openAccountStores } from './adapters/open-accounts.ts';
import { emailAlerts } from './consumers/usage-threshold.ts';
import { forgetExpired } from './jobs/forget-expired.ts';
import { isForThisMachine, isHttps, originResolver } from './origin.ts';
import type { ConfirmedMailer, Mailbox, PasswordHasher, WalletSignatures } from './ports.ts';
import { createVisitors, type AccountRouteDeps } from './routes/account-deps.ts';
import type { PortalSettings } from './settings.ts';
import { createUserProjects } from './user-projects.ts';

export interface PortalWorkDeps extends Platform {
  readonly settings: PortalSettings;
  /** `SECRETS_KEY` */
  readonly secret: string;
  /** The address that the portal listens on; its origin if `PORTAL_URL` is not set. */
  readonly host: string;
  readonly store: StorePlace;
  readonly projects: ProjectRepository;
  /** The network for sign-ins with wallets. */
  readonly network: Network;
  /** The network's node. Contract wallets cannot sign in without it. */
  readonly node?: EthereumNode | undefined;
  /** Sends emails in place of the settings' mail server. */
  readonly mailer?: ConfirmedMailer | undefined;
  /** Seconds that GitHub or Google has for each answer; `EXCHANGE_SECONDS` by default. */
  readonly providerSeconds?: number | undefined;
  /** Argon2id at the recommended cost by default. */
  readonly passwords?: PasswordHasher | undefined;
}

/** Accounts, and the projects of their owners. */
export type PortalWork = Awaited<ReturnType<typeof startPortalWork>>;

const GOOGLE = 'https://accounts.google.com';

/** Opens accounts as the settings ask for, and removes those of their sessions and links that have ended. */
export async function startPortalWork(deps: PortalWorkDeps) {
  const { settings, network, clock, ids, passwords = createArgon2Passwords() } = deps;
  const originOf = originResolver(settings.PORTAL_URL, deps.host);
  const userProjects = createUserProjects(deps);
  const stores = await openAccountStores(deps.store, deps.lifecycle);
  forgetExpired({ ...deps, stores });
  const { mailer, mailbox, mails } = await openMail(deps);
  const attempts = createAttempts(stores.tallies, clock);
  const common = { stores, passwords, mailer, attempts, clock, ids };
  const identities = createIdentities(common);
  const cookies = createCookies(isHttps(settings.PORTAL_URL));
  const sessions = createSessionKeeper({ stores, cookies, clock, ids });
  const browsers = createKnownBrowsers(deps.secret);
  const signatures = walletSignatures(deps);
  const providers = await openProviders(deps);
  const offered = { github: providers.github !== undefined, google: providers.google !== undefined };
  const accounts: AccountRouteDeps = {
    context: { sessions, clock, mailbox: mailbox !== null },
    visitors: createVisitors({ sessions, cookies, browsers, originOf }),
    signUps: createSignUps(common),
    passwords: createPasswordSignIn({ ...common, browsers }),
    providers: createProviderSignIn({ ...common, providers, identities }),
    wallets: createWalletSignIn({ ...common, identities, signatures, chainId: network.chainId }),
    changes: createAccountChanges({ ...common, userProjects, offered }),
    ways: { email: mails, ...offered },
  };
  return { accounts, mailbox, check: stores.check, attempts, stores, mailer, originOf, userProjects };
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

/**
 * Sends through the mail server if there is one. Without one, emails are logged and, on the embedded store,
 * shown in the mailbox. In production, and where other machines can reach the portal, no email is written
 * anywhere: anyone who reads one can take over its account.
 */
async function openMail({ settings, host, store, ...deps }: PortalWorkDeps): Promise<{
  mailer: ConfirmedMailer;
  /** Keeps emails that are not sent; for development on this machine. */
  mailbox: Mailbox | null;
  mails: boolean;
}> {
  const { mailer, logger } = deps;
  if (mailer !== undefined) return { mailer, mailbox: null, mails: true };
  if (settings.SMTP_URL !== undefined) {
    const { createSmtpMailer } = await import('./adapters/smtp-mailer.ts');
    const smtp = { url: settings.SMTP_URL, from: settings.MAIL_FROM };
    return { mailer: createSmtpMailer(smtp, deps), mailbox: null, mails: true };
  }
  if (settings.NODE_ENV === 'production' || !isForThisMachine(settings.PORTAL_URL, host)) {
    logger.warn('SMTP_URL is not set: email sign-up is disabled');
    return { mailer: createMissingMailer(logger), mailbox: null, mails: false };
  }
  const printed = createMailbox(logger, deps.clock);
  return { mailer: printed, mailbox: store.mongodbUrl === undefined ? printed : null, mails: true };
}

/** Loads the verification of signatures on first use. */
function walletSignatures({ node, network, clock }: PortalWorkDeps): WalletSignatures {
  const loaded = once(async () => {
    const { createWalletSignatures } = await import('./adapters/wallet-signatures.ts');
    return createWalletSignatures(node && { node, network, clock });
  });
  return { check: async (...signed) => (await loaded()).check(...signed) };
}

/** The configured providers: those with id and secret. Their libraries are loaded only then. */
async function openProviders({
  settings,
  logger,
  providerSeconds: seconds,
}: PortalWorkDeps): Promise<Providers> {
  const { GITHUB_URL: url, GOOGLE_ISSUER: issuer = GOOGLE } = settings;
  const [github, google] = [clientOf('GITHUB', settings, logger), clientOf('GOOGLE', settings, logger)];
  return {
    ...(github && {
      github: (await import('./adapters/github-provider.ts')).createGithubProvider({
        url,
        seconds,
        ...github,
      }),
    }),
    ...(google && {
      google: (await import('./adapters/openid-provider.ts')).createOpenIdProvider({
        issuer,
        seconds,
        ...google,
      }),
    }),
  };
}

/** An id without its secret, or a secret without its id, is a mistake. */
function clientOf(name: 'GITHUB' | 'GOOGLE', settings: PortalSettings, logger: Logger) {
  const [clientId, clientSecret] = [settings[`${name}_CLIENT_ID`], settings[`${name}_CLIENT_SECRET`]];
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret };
  if (clientId !== undefined || clientSecret !== undefined)
    logger.warn(
      `${name}_CLIENT_ID and ${name}_CLIENT_SECRET must be set together: this way to sign in is not offered`,
    );
  return undefined;
}
