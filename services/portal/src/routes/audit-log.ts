import { badRequest } from '@hindsight/kernel/errors.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import {
  allEntries,
  type AuditEntry,
  type AuditFilter,
  type AuditPosition,
} from '@hindsight/projects/audit.ts';
import { auditExport, EXPORT_FORMATS } from '@hindsight/projects/audit-export.ts';
import { Readable } from 'node:stream';
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import { startOfDay } from '@hindsight/usage/calendar.ts';
import { auditLogPage } from '../pages/audit-log.ts';
import { AUDIT_WORDS } from '../pages/parts/audit.ts';
import { onProject, sendProjectPage, type DashboardDeps, type Visit } from './dashboard.ts';

const LINES = 50;

/** `GET …/audit` and `…/audit/export`, below a project's path. */
export function addAuditLog(app: HttpServer, deps: DashboardDeps): void {
  onProject(app, deps, 'GET', '/audit', async (visit) => {
    const { request, project, signedIn } = visit;
    const { asked, filter } = filterOf(visit);
    const below = positionOf(request.query.below);
    const entries = await deps.audit.list(project.id, LINES + 1, below, filter);
    const shown = entries.slice(0, LINES);
    const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== '')).toString();
    const last = entries.length > LINES ? shown.at(-1) : undefined;
    await sendProjectPage(deps, visit, auditLogPage, {
      project,
      reader: signedIn.user.id,
      entries: shown,
      filter: asked,
      query,
      older: last === undefined ? null : `${query}&below=${last.at}.${last.id}`,
    });
  });
  onProject(app, deps, 'GET', '/audit/export', async (visit) => {
    const { request, reply, project, signedIn } = visit;
    const format = EXPORT_FORMATS.find((one) => one === request.query.format);
    if (format === undefined) throw badRequest('format: expected csv or ndjson');
    const entries = allEntries(deps.audit, project.id, filterOf(visit).filter);
    const who = ({ userId }: AuditEntry): string => (userId === signedIn.user.id ? 'you' : 'another user');
    await reply
      .headers({
        'cache-control': 'no-store',
        'content-disposition': `attachment; filename="audit-log.${format}"`,
      })
      .type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8')
      .send(Readable.from(auditExport(entries, format, who)));
  });
}

/** A filter that is not understood is an error: a typo must not show everything. @throws {ApiError} 400 */
function filterOf({ request, signedIn }: Visit): {
  asked: Record<'what' | 'who' | 'from' | 'to', string>;
  filter: AuditFilter;
} {
  const text = (name: string): string => {
    const value = request.query[name] ?? '';
    if (typeof value !== 'string') throw badRequest(`${name}: given more than once; expected once`);
    return value;
  };
  const asked = { what: text('what'), who: text('who'), from: text('from'), to: text('to') };
  const { what, who } = asked;
  if (what !== '' && !Object.hasOwn(AUDIT_WORDS, what)) throw badRequest('what: there is no such action');
  if (!['', 'you', 'operator'].includes(who)) throw badRequest('who: expected you or operator');
  const [from, to] = [dayOf('from', asked.from), dayOf('to', asked.to)];
  return {
    asked,
    filter: {
      action: what === '' ? undefined : what,
      userId: who === '' ? undefined : who === 'operator' ? null : signedIn.user.id,
      from,
      before: to === undefined ? undefined : to + DAY_MS,
    },
  };
}

function dayOf(name: string, text: string): number | undefined {
  if (text === '') return undefined;
  const at = startOfDay(text);
  if (at === undefined) throw badRequest(`${name}: expected a day such as 2026-11-21`);
  return at;
}

function positionOf(text: unknown): AuditPosition | undefined {
  const [, at, id] = /^(\d{1,16})\.([\w-]{1,100})$/.exec(typeof text === 'string' ? text : '') ?? [];
  return at === undefined || id === undefined ? undefined : { at: Number(at), id };
}
