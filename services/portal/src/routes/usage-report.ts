import { badRequest } from '@hindsight/kernel/errors.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { describeThresholds, parseThresholds } from '@hindsight/usage/alerts/thresholds.ts';
import { BREAKDOWNS, csvOf, monthsShown, rowsOf, totalsOf } from '@hindsight/usage/breakdown.ts';
import type { CountedMonth } from '@hindsight/usage/counters/ports.ts';
import { describeUsage } from '@hindsight/usage/describe.ts';
import { projectPath } from '../domain/project-path.ts';
import { usageReportPage, type UsageReportModel, type UsageTotals } from '../pages/usage-report.ts';
import { onProject, sendProjectPage, type DashboardDeps, type Visit } from './dashboard.ts';
import { faultOf, textOf } from './forms.ts';
import { goTo, noticeOf, orNull } from './pages.ts';

const DONE = { alerts: 'Alerts saved.', past: 'That month is no longer shown.' };

/** Charts besides that of the days. */
const TITLES = { endpoint: 'Endpoint', status: 'Status', key: 'API key' } as const;

/** `GET …/usage/report` and `…/usage/report.csv`, `POST …/alerts`, below a project's path. */
export function addUsageReport(app: HttpServer, deps: DashboardDeps): void {
  onProject(app, deps, 'GET', '/usage/report', (visit) => {
    const { month, done } = visit.request.query;
    const [oldest = ''] = monthsShown(deps.context.clock.now()).slice(-1);
    // The link of an old email: it leads to the alerts as well.
    if (typeof month === 'string' && /^\d{4}-\d\d$/.test(month) && month < oldest)
      return goTo(visit.reply, `${projectPath(visit.project.id)}/usage/report?done=past`);
    return sendReport(deps, visit, { notice: noticeOf(DONE, done) });
  });
  onProject(app, deps, 'GET', '/usage/report.csv', async ({ request, reply, project }) => {
    const month = monthOf(deps, request.query.month);
    const by = BREAKDOWNS.find((one) => one === (request.query.by ?? 'day'));
    if (by === undefined) throw badRequest(`by: expected one of ${BREAKDOWNS.join(', ')}`);
    const rows = rowsOf(await deps.usage.read(project.id, month), by);
    await reply
      .headers({
        'cache-control': 'no-store',
        'content-disposition': `attachment; filename="usage-${month}-by-${by}.csv"`,
      })
      .type('text/csv; charset=utf-8')
      .send(csvOf(rows, by));
  });
  onProject(app, deps, 'POST', '/alerts', async (visit) => {
    const { request, reply, signedIn, project, by } = visit;
    const typed = textOf(request.body, 'thresholds');
    try {
      const thresholds = parseThresholds(typed);
      await deps.attempts.spend(['key of', signedIn.user.id]);
      const store = (): Promise<void> => deps.alerts.setThresholds(project.id, thresholds);
      await deps.projects.changeAlerts(project.id, { detail: describeThresholds(thresholds), store }, by);
      await goTo(reply, `${projectPath(project.id)}/usage/report?done=alerts`);
    } catch (error) {
      await sendReport(deps, visit, { thresholds: typed, errors: faultOf(error, 'thresholds') });
    }
  });
}

/** @throws {ApiError} 400 */
function monthOf({ context }: DashboardDeps, asked: unknown): string {
  const months = monthsShown(context.clock.now());
  const month = months.find((each) => each === (asked ?? months[0]));
  if (month === undefined) throw badRequest(`month: expected one of ${months.join(', ')}`);
  return month;
}

async function sendReport(
  deps: DashboardDeps,
  visit: Visit,
  more: Partial<Pick<UsageReportModel, 'notice' | 'errors' | 'thresholds'>>,
): Promise<void> {
  const { request, project } = visit;
  const now = deps.context.clock.now();
  const month = monthOf(deps, request.query.month);
  const [counted, keys, alerts] = await Promise.all([
    orNull(deps.usage.read(project.id, month)),
    deps.projects.listKeys(project.id),
    orNull(
      Promise.all([
        deps.alerts.thresholdsOf(project.id),
        deps.alerts.reached({ project: project.id, month }),
      ]),
    ),
  ]);
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  await sendProjectPage(deps, visit, usageReportPage, {
    project,
    month,
    months: monthsShown(now),
    usage: counted && { ...describeUsage(project, counted, now, month), totals: totals(counted) },
    thresholds: alerts?.[0].join(', ') ?? null,
    reached: alerts?.[1] ?? [],
    ...more,
  });

  function totals(usage: CountedMonth): UsageTotals[] {
    return Object.entries(TITLES).map(([by, title]) => ({
      by,
      title,
      rows: totalsOf(rowsOf(usage, by as keyof typeof TITLES)).map(({ name, requests }) => ({
        name: by === 'key' ? (names.get(name ?? '') ?? `${name} (revoked)`) : (name ?? 'not recorded'),
        requests,
      })),
    }));
  }
}
