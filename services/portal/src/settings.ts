import {
  optionalBaseUrl,
  optionalConnectionString,
  optionalText,
  text,
  toggle,
  type Config,
} from '@hindsight/kernel/config.ts';
import { SECURITY_CONTACT } from '@hindsight/kernel/service-settings.ts';

const secret = { secret: true };

/** The settings of the portal that it has in every installation. */
export const PORTAL_SETTINGS = {
  PORTAL_URL: optionalBaseUrl(
    'where people reach the portal, for links in emails and for sign-in; the address it listens on if not set',
  ),
  API_URL: optionalBaseUrl('where API clients reach the gateway'),
  SMTP_URL: optionalConnectionString('the mail server; without one emails are printed', ['smtp', 'smtps']),
  MAIL_FROM: text('the sender of emails', 'Hindsight <no-reply@localhost>'),
  GITHUB_CLIENT_ID: optionalText('the OAuth app at GitHub; no sign-in with GitHub if not set'),
  GITHUB_CLIENT_SECRET: optionalText('the secret of the OAuth app at GitHub', secret),
  GITHUB_URL: optionalBaseUrl('a GitHub other than github.com, such as GitHub Enterprise Server'),
  GOOGLE_CLIENT_ID: optionalText('the OAuth client at Google; no sign-in with Google if not set'),
  GOOGLE_CLIENT_SECRET: optionalText('the secret of the OAuth client at Google', secret),
  GOOGLE_ISSUER: optionalBaseUrl('another OpenID provider in Google’s place'),
  SECURITY_CONTACT,
  HIDE_OPERATIONS: toggle(
    'the portal has no pages about running Hindsight, for an installation whose users do not run it',
  ),
  NODE_ENV: optionalText('production: there are no pages for development'),
};

export type PortalSettings = Config<typeof PORTAL_SETTINGS>;
