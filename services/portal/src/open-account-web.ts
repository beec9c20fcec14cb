import type { Network } from '@hindsight/shared/chain/networks.ts';
import { ChainReader } from '@hindsight/shared/chain/state/reader.ts';
import type { EthereumNode } from '@hindsight/shared/chain/rpc/node.ts';
import type { Clock } from '@hindsight/shared/clock.ts';
import type { ReadinessCheck } from '@hindsight/shared/readiness.ts';
import type { Ids } from '@hindsight/shared/ids.ts';
import type { Lifecycle } from '@hindsight/shared/lifecycle.ts';
import type { Logger } from '@hindsight/shared/logger.ts';
import { AccountChanges } from './accounts/account-changes.ts';
import { Attempts } from './accounts/attempts.ts';
import { createCookies } from './accounts/cookies.ts';
import { Identities } from './accounts/identities.ts';
import { PasswordSignIn } from './accounts/passwords.ts';
import { ProviderSignIn, type Providers } from './accounts/provider-sign-in.ts';
import { SessionKeeper } from './accounts/session-keeper.ts';
import { SignUps } from './accounts/sign-ups.ts';
import { WalletSignIn } from './accounts/wallet-sign-in.ts';
import { createArgon2Passwords } from './adapters/argon2-passwords.ts';
import { createGithubProvider } from './adapters/github-provider.ts';
import { openAccountStores, type AccountStoreSettings } from './adapters/open-accounts.ts';
import { createOpenIdProvider } from './adapters/openid-provider.ts';
import { createMissingMailer, createOutboxMailer } from './adapters/outbox-mailer.ts';
import { createSmtpMailer } from './adapters/smtp-mailer.ts';
import { createWalletSignatures } from './adapters/wallet-signatures.ts';
import { forgetExpired } from './jobs/forget-expired.ts';
import { isForThisMachine, isHttps, type OriginOf } from './origin.ts';
import type { Mailer, Outbox } from './ports.ts';
import type { ProjectsOfUsers } from './project-ports.ts';
import type { AccountWeb } from './routes/account-web.ts';
import type { PortalSettings } from './settings.ts';

interface Deps {
  readonly settings: PortalSettings;
  /** The address that the portal listens at. */
  readonly host: string;
  readonly store: AccountStoreSettings;
  readonly originOf: OriginOf;
  readonly network: Network;
  readonly node?: EthereumNode | undefined;
  readonly projects: Pick<ProjectsOfUsers, 'suspendAll'>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly lifecycle: Lifecycle;
}

/** Accounts, as their routes need them. */
export interface OpenAccountWeb {
  readonly web: AccountWeb;
  /** Where letters lie that are not sent; for development on this machine. */
  readonly outbox: Outbox | null;
  readonly check: ReadinessCheck;
  readonly attempts: Attempts;
}

const GOOGLE = 'https://accounts.google.com';

/** Opens accounts with all that the settings ask for. */
export async function openAccountWeb(deps: Deps): Promise<OpenAccountWeb> {
  const { settings, store, originOf, network, node, projects, clock, ids } = deps;
  const stores = await openAccountStores(store, deps.lifecycle);
  forgetExpired({ ...deps, stores });
  const { mailer, outbox, mails } = openMail(deps);
  const attempts = new Attempts(stores.tallies, clock);
  const parts = { stores, passwords: createArgon2Passwords(), mailer, attempts, clock, ids };
  const identities = new Identities(parts);
  const cookies = createCookies(isHttps(settings.PORTAL_URL));
  const keeper = new SessionKeeper({ stores, cookies, clock, ids });
  const chain = node && { reader: new ChainReader({ node, network, clock }), network };
  const signatures = createWalletSignatures(chain);
  const providers = openProviders(settings);
  warnOfHalves(settings, deps.logger);
  const { chainId } = network;
  const web: AccountWeb = {
    ...{ originOf, cookies, keeper, mails, clock, accounts: stores.accounts },
    context: { sessions: keeper, outbox: outbox !== null },
    signUps: new SignUps(parts),
    passwords: new PasswordSignIn(parts),
    providers: new ProviderSignIn({ ...parts, providers, identities }),
    wallets: new WalletSignIn({ ...parts, identities, signatures, chainId }),
    changes: new AccountChanges({ ...parts, projects }),
    ways: {
      github: providers.github !== undefined,
      google: providers.google !== undefined,
      wallet: true,
    },
  };
  return { web, outbox, check: stores.check, attempts };
}

/**
 * Through the mail server, where there is one. Without one, letters are printed, and shown in the outbox on the embedded
 * default; in production, and where others than this machine's people reach the portal, neither exists, and no letter is
 * written anywhere: whoever reads one can take over its account.
 */
function openMail({ settings, host, store, logger, clock, lifecycle }: Deps): {
  mailer: Mailer;
  outbox: Outbox | null;
  mails: boolean;
} {
  if (settings.SMTP_URL !== undefined) {
    const smtp = { url: settings.SMTP_URL, from: settings.MAIL_FROM };
    return { mailer: createSmtpMailer(smtp, { logger, lifecycle }), outbox: null, mails: true };
  }
  if (settings.NODE_ENV === 'production' || !isForThisMachine(settings.PORTAL_URL, host)) {
    logger.warn('SMTP_URL is not set: nobody can sign up by e-mail');
    return { mailer: createMissingMailer(logger), outbox: null, mails: false };
  }
  const printed = createOutboxMailer(logger, clock);
  return { mailer: printed, outbox: store.mongodbUrl === undefined ? printed : null, mails: true };
}

/** Those that are configured; a secret is part of it. */
function openProviders(settings: PortalSettings): Providers {
  const { GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET, GITHUB_URL } = settings;
  const { GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET, GOOGLE_ISSUER } = settings;
  const github =
    GITHUB_CLIENT_ID !== undefined && GITHUB_CLIENT_SECRET !== undefined
      ? createGithubProvider({
          url: GITHUB_URL,
          clientId: GITHUB_CLIENT_ID,
          clientSecret: GITHUB_CLIENT_SECRET,
        })
      : undefined;
  const google =
    GOOGLE_CLIENT_ID !== undefined && GOOGLE_CLIENT_SECRET !== undefined
      ? createOpenIdProvider({
          issuer: GOOGLE_ISSUER ?? GOOGLE,
          clientId: GOOGLE_CLIENT_ID,
          clientSecret: GOOGLE_CLIENT_SECRET,
        })
      : undefined;
  return { ...(github && { github }), ...(google && { google }) };
}

/** An id without its secret, or the other way round, is a mistake and not a wish. */
function warnOfHalves(settings: PortalSettings, logger: Logger): void {
  for (const name of ['GITHUB', 'GOOGLE'] as const) {
    const halves = [settings[`${name}_CLIENT_ID`], settings[`${name}_CLIENT_SECRET`]];
    if (halves.filter((half) => half !== undefined).length === 1)
      logger.warn(
        `${name}_CLIENT_ID and ${name}_CLIENT_SECRET go together: that way to sign in is not offered`,
      );
  }
}
