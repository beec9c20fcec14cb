import { z } from 'zod';
import {
  optionalBaseUrl,
  optionalIssuer,
  optionalConnectionString,
  optionalSiteUrl,
  optionalText,
  toggle,
  type Config,
  type Setting,
} from '@hindsight/kernel/config.ts';
import { SECURITY_CONTACT } from '@hindsight/kernel/service-settings.ts';

const secret = { secret: true };

/** Without an address a mail would have no sender, and only its readers' filters would notice. */
function mailFrom(about: string, standard: string): Setting<string> {
  const expected = `expected an address such as no-reply@example.org, or ${standard}`;
  const schema = z
    .string()
    .max(500, expected)
    .regex(/[^\s<>@,]@[^\s<>@,]/, expected)
    .optional()
    .transform((value) => value ?? standard);
  return { about, schema };
}

/** The settings of the portal that it has in every installation. */
export const PORTAL_SETTINGS = {
  PORTAL_URL: optionalSiteUrl(
    'where people reach the portal, for links in emails and for sign-in; the address it listens on if not set',
  ),
  API_URL: optionalBaseUrl('where API clients reach the gateway'),
  SMTP_URL: optionalConnectionString('the mail server; without one emails are printed', ['smtp', 'smtps']),
  MAIL_FROM: mailFrom(
    'the sender of emails, an address or a name with one',
    'Hindsight <no-reply@localhost>',
  ),
  GITHUB_CLIENT_ID: optionalText('the OAuth app at GitHub; no sign-in with GitHub if not set'),
  GITHUB_CLIENT_SECRET: optionalText('the secret of the OAuth app at GitHub', secret),
  GITHUB_URL: optionalBaseUrl('a GitHub other than github.com, such as GitHub Enterprise Server'),
  GOOGLE_CLIENT_ID: optionalText('the OAuth client at Google; no sign-in with Google if not set'),
  GOOGLE_CLIENT_SECRET: optionalText('the secret of the OAuth client at Google', secret),
  GOOGLE_ISSUER: optionalIssuer(
    'another OpenID provider in Google’s place, to the last slash as it names itself',
  ),
  SECURITY_CONTACT,
  HIDE_OPERATIONS: toggle(
    'whether the portal leaves out the pages about running Hindsight, for users who do not run it',
  ),
  NODE_ENV: optionalText('production: there are no pages for development'),
};

export type PortalSettings = Config<typeof PORTAL_SETTINGS>;
