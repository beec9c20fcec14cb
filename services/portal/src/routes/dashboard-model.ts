/** Maps stored projects and usage to the dashboard's model. */
import type { AuditEntry } from '@hindsight/projects/audit.ts';
import { PLANS, limitsOf, type Project } from '@hindsight/projects/project.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { dayOf, monthOf } from '@hindsight/usage/calendar.ts';
import { describeUsage, type UsageReport } from '@hindsight/usage/describe.ts';
import type { DashboardModel } from '../pages/dashboard.ts';
import type { AuditLine } from '../pages/parts/audit.ts';
import type { PlanOffer } from '../pages/parts/plans.ts';
import type { Owner } from '../user-projects.ts';
import type { DashboardDeps } from './dashboard-deps.ts';

type Shown = Omit<DashboardModel, 'apiUrl' | 'exampleUrl'>;

/** Shows nothing of the key: what is visible without an audited reveal must not narrow it down. */
const MASKED = 'hs_••••••••••••••••';

/** The newest lines of the audit log on the page. */
const MAX_LINES = 6;

/** What the page of a project shows to its owner. */
export async function readDashboard(
  { projects, audit, usage: reader, context }: DashboardDeps,
  project: Project,
  { userId }: Pick<Owner, 'userId'>,
): Promise<Shown> {
  const { id } = project;
  const [entries, [previousEnd], usage] = await Promise.all([
    audit.list(id, MAX_LINES),
    projects.oldKeyEnds(id),
    usageOf(reader, project, context.clock.now()),
  ]);
  return {
    project: {
      ...project,
      // A deleted project has no page.
      status: project.status === 'suspended' ? 'suspended' : 'active',
      plan: offerOf(project),
    },
    key: {
      masked: MASKED,
      previousUntil: previousEnd === undefined ? null : new Date(previousEnd),
    },
    usage: usage && {
      ...usage.requests,
      resetsAt: new Date(usage.period.end),
      ordersReceived: usage.orders.received,
      daily: usage.daily,
    },
    plans: OFFERS.map((plan) => (plan.name === project.plan ? offerOf(project) : plan)),
    audit: entries.map((entry) => lineOf(entry, userId)),
  };
}

/** This month's report; null if it cannot be read right now. */
export async function usageOf(
  usage: DashboardDeps['usage'],
  project: Project,
  now: number,
): Promise<UsageReport | null> {
  try {
    return describeUsage(project, await usage.read(project.id, monthOf(dayOf(now))), now);
  } catch (error) {
    if (error instanceof StoreUnavailable) return null;
    throw error;
  }
}

const OFFERS: readonly PlanOffer[] = Object.entries(PLANS).map(([name, plan]) => ({ name, ...plan }));

/** The plan of a project with the numbers that it has. */
function offerOf(project: Project): PlanOffer {
  const { title } = PLANS[project.plan];
  return { name: project.plan, title, ...limitsOf(project) };
}

/** The actions of the audit log in words. */
export const AUDIT_WORDS: Readonly<Record<string, string>> = {
  created: 'Project created',
  'key-shown': 'Key revealed',
  'key-created': 'Key created',
  'key-changed': 'Key changed',
  'key-rotated': 'Key rotated',
  'key-revoked': 'Key revoked',
  renamed: 'Project renamed',
  'plan-changed': 'Plan changed',
  suspended: 'Project suspended',
  resumed: 'Project resumed',
  deleted: 'Project deleted',
  'alerts-changed': 'Alerts changed',
};

/** A line of the audit log, as its reader sees it. */
export function lineOf({ at, action, detail, userId, address }: AuditEntry, reader: string): AuditLine {
  const words = AUDIT_WORDS[action] ?? action;
  const by = userId === null ? 'the operator' : userId === reader ? 'you' : 'another user';
  return { at: new Date(at), action: detail === null ? words : `${words}: ${detail}`, by, address };
}
