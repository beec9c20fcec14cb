import type { Clock } from '@hindsight/kernel/clock.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import type { ConfirmedMailer, Mail, Mailbox, StoredMail } from '../ports.ts';

const KEPT = 50;

/** Without a mail server: logs emails and keeps the latest. For development. */
export function createMailbox(logger: Logger, clock: Clock): ConfirmedMailer & Mailbox {
  const mails: StoredMail[] = [];
  const post = (mail: Mail): void => {
    mails.unshift({ ...mail, at: new Date(clock.now()) });
    mails.length = Math.min(mails.length, KEPT);
    logger.info(
      { to: mail.to, subject: mail.subject },
      `email not sent because SMTP_URL is not set:\n${mail.text}`,
    );
  };
  return { post, send: async (mail) => post(mail), mails: () => mails };
}

/** In production without a mail server: sends and prints nothing, but logs that an email is missing. */
export function createMissingMailer(logger: Logger): ConfirmedMailer {
  const post = ({ subject }: Mail): void => logger.error({ subject }, 'email not sent: SMTP_URL is not set');
  return { post, send: async (mail) => post(mail) };
}
