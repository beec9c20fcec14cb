import type { AuditLog } from '@hindsight/projects/audit.ts';
import type { ProjectRepository } from '@hindsight/projects/ports.ts';
import type { AlertSettings } from '@hindsight/usage/alerts/ports.ts';
import type { MonthCounters } from '@hindsight/usage/counters/ports.ts';
import type { Attempts } from '../accounts/attempts.ts';
import type { UserProjects } from '../user-projects.ts';
import type { PageContext } from './pages.ts';

/** What the dashboard and its forms need. */
export interface DashboardDeps {
  readonly context: PageContext;
  readonly projects: ProjectRepository;
  readonly userProjects: UserProjects;
  readonly audit: AuditLog;
  readonly usage: Pick<MonthCounters, 'read'>;
  readonly alerts: AlertSettings;
  /** Bounds what one user can write into the audit log. */
  readonly attempts: Pick<Attempts, 'spend'>;
  /** The gateway's public base URL, and a request that it answers. */
  readonly apiUrl: string;
  readonly exampleUrl: string;
}
