import { OPERATIONS } from '@hindsight/api/operations.ts';
import { badRequest } from '@hindsight/kernel/errors.ts';
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import { parseQuery } from '@hindsight/http/validation.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { fromStore } from '@hindsight/stores/from-store.ts';
import { BREAKDOWNS, csvOf, monthsShown, rowsOf, type UsageRow } from '@hindsight/usage/breakdown.ts';
import { describeUsage, type UsageReport } from '@hindsight/usage/describe.ts';
import type { MonthCounters } from '@hindsight/usage/counters/ports.ts';
import { COST_HEADER } from '../domain/headers.ts';
import { queryOf } from '../steps/request.ts';
import { readCredentials } from '../domain/credentials.ts';
import { hasBurstToken } from '../upstreams/own-api.ts';
import { checkBurst, refusalHeaders, type Limits } from '../steps/admit.ts';
import { authenticate } from '../steps/authenticate.ts';
import { authorizeUse, type Identification } from '../steps/authorize.ts';
import { z } from 'zod';

interface UsageDeps extends Limits {
  readonly authentication: Identification;
  readonly counters: Pick<MonthCounters, 'read'>;
}

const count = (description: string) => z.int().nonnegative().meta({ description });

const report = z.object({
  project: z.string().meta({ description: 'The project’s internal id; never a key' }),
  plan: z.string().meta({ description: 'Its plan' }),
  period: z
    .object({ start: z.iso.datetime(), end: z.iso.datetime() })
    .meta({ description: 'The UTC calendar month: its first moment, and that of the next one' }),
  requests: z
    .object({
      used: count(
        'Units of requests that a service answered, even with 400 or 404. Not counted: 304, 401, 403, 429, 5xx, this endpoint.',
      ),
      limit: count('The plan’s'),
      remaining: count('Units left until the end of the period'),
    })
    .meta({ description: 'Requests of the month, in units: a single answer costs one, many rows cost more' }),
  orders: z
    .object({ received: count('Orders received through the webhook') })
    .meta({ description: 'Orders of the month' }),
  daily: z
    .array(z.object({ date: z.iso.date(), requests: count('Units of that day, UTC') }))
    .meta({ description: 'One entry for each day of the month up to today' }),
  as_of: z.iso.datetime().meta({
    description:
      'All usage that gateways had sent by this moment is in these numbers; of what came later some may be missing. ' +
      'Normally two seconds ago; an older one means that counting lags behind',
  }),
  breakdown: z
    .array(
      z.object({
        date: z.iso.date(),
        name: z.string().nullable().meta({
          description: 'The endpoint, the status, or the id of the key; null where it was not recorded',
        }),
        requests: count('Units of that day, UTC'),
      }),
    )
    .optional()
    .meta({ description: 'With `by`: days in order, the most used first within each' }),
}) satisfies z.ZodType<UsageReport & { breakdown?: UsageRow[] | undefined }>;

const parameters = z.strictObject({
  month: z
    .string()
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'expected a month such as 2026-11')
    .optional()
    .meta({ description: 'This month, or one of the two before it, UTC; this month by default' }),
  by: z
    .enum(BREAKDOWNS, `expected one of ${BREAKDOWNS.join(', ')}`)
    .optional()
    .meta({
      description: 'Breaks each day down by endpoint, status or key, as `breakdown` or as rows of CSV',
    }),
  format: z
    .enum(['json', 'csv'], 'expected json or csv')
    .optional()
    .meta({ description: '`csv`: the rows of the breakdown, by day if `by` is not given, with a header' }),
});

export const usageOperation = {
  ...OPERATIONS.getUsage,
  tag: 'Usage',
  summary: 'Get usage',
  querystring: parameters,
  description:
    'Returns the project’s plan, the monthly limit and what is left of it, the orders received, and the requests ' +
    'of each day. Requests are counted in units: a single answer costs one, many rows cost more. The counters are ' +
    'usually a second behind; `as_of` says how far they go. The limit itself is enforced exactly. The two ' +
    'months before can be read, too, with today’s limit; each day can be broken down by endpoint, status or key. ' +
    'Only answers that count have a status here. This call is not counted.',
  success: {
    status: 200,
    name: 'Usage',
    schema: report,
    cacheable: false,
    alternatives: ['text/csv'],
    description: 'Usage of the month up to now, or of a past one',
  },
  codes: ['invalid_parameter', 'unknown_parameter', 'repeated_parameter'],
  errors: {
    400: 'A parameter is unknown or not as expected, or the month is not one of the last three',
    503: 'Usage cannot be read at the moment',
  },
} as const satisfies ApiOperation;

/** `GET /v1/usage`: the caller's usage of one of the last three months. Not counted itself. */
export function addUsageRoute(app: HttpServer, deps: UsageDeps): void {
  // The schema is that of JSON alone.
  const schema: object = {
    response: { 200: { content: { 'application/json': { schema: report } } } },
  };
  app.get(usageOperation.path, { schema }, async (request, reply) => {
    const { key, url } = readCredentials(request.url, request.headers['x-api-key']);
    const { origin } = request.headers;
    const project = await authenticate(deps.authentication, key, request.ip);
    try {
      authorizeUse(deps.authentication, project, { scope: 'usage', address: request.ip, origin });
    } catch (error) {
      reply.headers(refusalHeaders(deps, project, error));
      throw error;
    }
    reply.header(COST_HEADER, '0');
    const entrant = { address: request.ip, hasBurstToken: hasBurstToken(request.raw) };
    const status = checkBurst(deps, project, entrant);
    reply.headers(status.headers());
    const now = deps.clock.now();
    const months = monthsShown(now);
    // Not by the server: in its view the key would be a parameter.
    const { month = months[0] ?? '', by, format } = parseQuery(parameters, queryOf(url));
    if (!months.includes(month)) throw badRequest(`month: expected one of ${months.join(', ')}`);
    const counted = await fromStore(
      deps.counters.read(project.id, month),
      'Usage cannot be read at the moment.',
    );
    const body = describeUsage(project, counted, now, month);
    if (month === months[0]) status.monthLeft = body.requests.remaining;
    reply.headers({ ...status.headers(), 'cache-control': 'no-store' });
    if (format !== 'csv')
      return reply.send(by === undefined ? body : { ...body, breakdown: rowsOf(counted, by) });
    const rows = by ?? 'day';
    reply.header('content-disposition', `attachment; filename="usage-${month}-by-${rows}.csv"`);
    return reply.type('text/csv; charset=utf-8').send(csvOf(rowsOf(counted, rows), rows));
  });
}
