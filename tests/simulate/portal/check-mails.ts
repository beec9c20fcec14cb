/** Once everything is handled, the owner of a project has one email for each alert. */
import type { Broker } from '../broker.ts';
import { ownerOf } from '../customers.ts';
import type { MailServer, Sending } from './mail-server.ts';

/** @returns the broken promises */
export function checkMails(broker: Broker, { sendings }: MailServer): string[] {
  const byAlert = Map.groupBy(sendings, alertOf);
  const published = new Set(broker.recordsOf('usage.threshold').map(({ headers }) => headers.ce_id ?? ''));
  const broken: string[] = [];
  for (const alert of published) {
    const sent = byAlert.get(alert) ?? [];
    const accepted = sent.reduce((sum, one) => sum + one.accepted, 0);
    // Documented: one that broke off is not sent again, since the server may have accepted it.
    if (accepted > 1) broken.push(`the alert ${alert} was emailed ${accepted} times`);
    if (accepted === 0 && !sent.some(({ brokeOff }) => brokeOff))
      broken.push(`the alert ${alert} was not emailed`);
  }
  for (const [alert, [first]] of byAlert)
    if (alert !== undefined && !published.has(alert))
      broken.push(`"${first?.mail.subject}" was emailed without an alert`);
  return broken;
}

/** The id of the alert that an email is about; undefined for any other email. */
function alertOf({ mail: { to, subject, text } }: Sending): string | undefined {
  const [, threshold, project = ''] = /^(\d+)% of the monthly limit used: (.+)$/.exec(subject) ?? [];
  if (threshold === undefined) return undefined;
  const month = / units in (\d{4}-\d{2}) \(UTC\)/.exec(text)?.[1];
  return `${to === ownerOf(project) ? project : `${project} of another owner, ${to}`}:${month}:${threshold}`;
}
