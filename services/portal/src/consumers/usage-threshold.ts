import { HandlerUnavailable } from '@hindsight/bus/errors.ts';
import type { Handler, ReceivedEvent } from '@hindsight/bus/port.ts';
import type { Topics } from '@hindsight/events/topics.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { ProjectRepository } from '@hindsight/projects/ports.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import { dayOf, monthOf } from '@hindsight/usage/calendar.ts';
import { alertEmail } from '../domain/emails.ts';
import { projectPath } from '../domain/project-path.ts';
import { MailNotSent, type AccountStores, type ConfirmedMailer } from '../ports.ts';

type Event = ReceivedEvent<Topics['usage.threshold']>;

interface Deps {
  readonly projects: Pick<ProjectRepository, 'findById'>;
  readonly accounts: Pick<AccountStores['accounts'], 'find'>;
  readonly claims: AccountStores['claims'];
  readonly mailer: Pick<ConfirmedMailer, 'send'>;
  readonly clock: Clock;
  /** The portal's public address. */
  readonly origin: () => string;
}

/** Longer than the topic keeps its events. */
const CLAIMED_MS = 60 * DAY_MS;

/**
 * Emails the owner of a project once for each event. The claim is stored before the email is sent: if a crash
 * cuts off that exchange, it is not sent again, since the server may have accepted it.
 */
export function emailAlerts(deps: Deps): Handler<Event> {
  return async (events) => {
    for (const event of events) {
      try {
        await emailAlert(deps, event);
      } catch (error) {
        if (!(error instanceof StoreUnavailable || error instanceof MailNotSent)) throw error;
        throw new HandlerUnavailable('an alert cannot be sent at the moment', { cause: error });
      }
    }
  };
}

async function emailAlert(
  { projects, accounts, claims, mailer, clock, origin }: Deps,
  { id, data }: Event,
): Promise<void> {
  const project = await projects.findById(data.projectId);
  const owner = project?.ownerId ? await accounts.find(project.ownerId) : null;
  // Owners who sign in with a wallet may have no address: the project's usage page shows the alert.
  if (project === null || project.status === 'deleted' || !owner?.email) return;
  const key = `alert|${id}`;
  if (!(await claims.claim(key, clock.now() + CLAIMED_MS))) return;
  const isOver = data.month < monthOf(dayOf(clock.now()));
  const link = `${origin()}${projectPath(project.id)}/usage/report?month=${data.month}`;
  try {
    await mailer.send({ to: owner.email, ...alertEmail({ ...data, name: project.name, isOver, link }) });
  } catch (error) {
    if (error instanceof MailNotSent) await claims.release(key);
    throw error;
  }
}
