import { setTimeout as sleep } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { pause } from '@hindsight/kernel/retry.ts';
import { isLoopback } from '../origin.ts';
import { MailNotSent, type ConfirmedMailer, type Mail } from '../ports.ts';

interface SmtpSettings {
  /** `SMTP_URL`. */
  readonly url: string;
  /** `MAIL_FROM`. */
  readonly from: string;
  /** Milliseconds before the second attempt, and before the third. */
  readonly pausesMs?: readonly number[];
}

/** `unknown`: the exchange broke off, so the server may have accepted it. */
type Outcome = 'sent' | 'refused' | 'unknown';

const PAUSES_MS = [2_000, 10_000];
const CONNECT_MS = 5_000;
const ANSWER_MS = 10_000;
/** Emails in flight. Further ones are dropped: users can request another. */
const MAX_UNDER_WAY = 500;
const LEAVE_WITHIN_MS = 4_000;

/**
 * True if an `smtp://` connection must be encrypted with STARTTLS, because reset links and the password could
 * be read on the way. Not on this machine, and not if the URL says `?requireTLS=false`.
 */
function needsTls(url: string): boolean {
  const { protocol, hostname, searchParams } = new URL(url);
  return protocol === 'smtp:' && !isLoopback(hostname) && searchParams.get('requireTLS') !== 'false';
}

/**
 * Sends through a mail server, with up to three attempts per email. The queue is in memory: users can request
 * an email again that is lost with the process.
 */
export function createSmtpMailer(
  { url, from, pausesMs = PAUSES_MS }: SmtpSettings,
  { logger, lifecycle }: Pick<Platform, 'logger' | 'lifecycle'>,
): ConfirmedMailer {
  const transport = createTransport({
    url,
    requireTLS: needsTls(url),
    pool: true,
    maxConnections: 3,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const underWay = new Set<Promise<void>>();
  const leaving = new AbortController();
  const attempt = async (mail: Mail): Promise<Outcome> => {
    try {
      await transport.sendMail({ ...mail, from });
      return 'sent';
    } catch (error) {
      // The server's text may quote the email; its code does not.
      const { code, responseCode } = error as { code?: string; responseCode?: number };
      logger.warn({ code, responseCode, subject: mail.subject }, 'email could not be sent');
      return responseCode === undefined ? 'unknown' : 'refused';
    }
  };
  /** @returns the last outcome, or the first that allows no retry */
  const attempts = async (mail: Mail, ends: readonly Outcome[]): Promise<Outcome> => {
    let outcome: Outcome = 'unknown';
    for (const pauseMs of [0, ...pausesMs]) {
      if (pauseMs > 0) await pause(pauseMs, leaving.signal);
      outcome = await attempt(mail);
      if (ends.includes(outcome) || leaving.signal.aborted) return outcome;
    }
    return outcome;
  };
  const abandoned = ({ subject }: Mail): void => logger.error({ subject }, 'email abandoned');
  const send = async (mail: Mail): Promise<void> => {
    if ((await attempts(mail, ['sent'])) !== 'sent' && !leaving.signal.aborted) abandoned(mail);
  };
  lifecycle.onStop('mail', async () => {
    leaving.abort();
    await Promise.race([Promise.all(underWay), sleep(LEAVE_WITHIN_MS, undefined, { ref: false })]);
    transport.close();
  });
  return {
    post(mail) {
      if (underWay.size >= MAX_UNDER_WAY) {
        logger.error({ subject: mail.subject }, 'too many emails in flight; email dropped');
        return;
      }
      const sending: Promise<void> = send(mail).finally(() => underWay.delete(sending));
      underWay.add(sending);
    },
    async send(mail) {
      try {
        await transport.verify();
      } catch (error) {
        const { code } = error as { code?: string };
        throw new MailNotSent(`the mail server cannot be reached (${code ?? 'no code'})`);
      }
      if ((await attempts(mail, ['sent', 'unknown'])) !== 'sent') abandoned(mail);
    },
  };
}
