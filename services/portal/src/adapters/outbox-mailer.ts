import type { Clock } from '@hindsight/shared/clock.ts';
import type { Logger } from '@hindsight/shared/logger.ts';
import type { Mail, Mailer, Outbox, PostedMail } from '../ports.ts';

const KEPT = 50;

/** Where there is no mail server: letters are printed, and the last ones kept to be read. For development. */
export function createOutboxMailer(logger: Logger, clock: Clock): Mailer & Outbox {
  const mails: PostedMail[] = [];
  return {
    post(mail: Mail) {
      mails.unshift({ ...mail, at: new Date(clock.now()) });
      mails.length = Math.min(mails.length, KEPT);
      logger.info(
        { to: mail.to, subject: mail.subject },
        `mail that is not sent for want of SMTP_URL:\n${mail.text}`,
      );
    },
    mails: () => mails,
  };
}

/** In production without a mail server: nothing is sent and nothing printed; that letters are missing is said. */
export function createMissingMailer(logger: Logger): Mailer {
  return {
    post: ({ subject }) => logger.error({ subject }, 'a mail was not sent: SMTP_URL is not set'),
  };
}
