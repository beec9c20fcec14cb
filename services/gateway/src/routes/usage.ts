import { badRequest, unavailable } from '@hindsight/kernel/errors.ts';
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { dayOf, monthOf } from '@hindsight/usage/calendar.ts';
import { describeUsage, type UsageReport } from '@hindsight/usage/describe.ts';
import type { CountedMonth, MonthCounters } from '@hindsight/usage/counters/ports.ts';
import { COST_HEADER } from '../domain/headers.ts';
import { readCredentials } from '../domain/credentials.ts';
import { checkBurst, type Limits } from '../steps/admit.ts';
import { identify, type Identification } from '../steps/authorize.ts';
import { z } from 'zod';
import { RETRY_AFTER_SECONDS } from '../domain/refusals.ts';

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
    .meta({ description: 'Requests of the month, in units: a single answer is one, many rows are more' }),
  orders: z
    .object({ received: count('Orders received through the webhook') })
    .meta({ description: 'Orders of the month' }),
  daily: z
    .array(z.object({ date: z.iso.date(), requests: count('Units of that day, UTC') }))
    .meta({ description: 'One entry for each day of the month up to today' }),
  as_of: z.iso
    .datetime()
    .meta({ description: 'The moment of these numbers: what was counted later is missing' }),
}) satisfies z.ZodType<UsageReport>;

/** The route as it is documented. */
export const usageOperation = {
  method: 'GET',
  path: '/v1/usage',
  operationId: 'getUsage',
  tag: 'Usage',
  summary: 'Get usage',
  description:
    'Returns the project’s plan, the monthly limit and what is left of it, the orders received, and the requests of ' +
    'each day. Requests are counted in units: a single answer is one, many rows are more. The counters are a second ' +
    'behind at most times; `as_of` says of which moment they are. The limit itself is decided elsewhere, exactly. ' +
    'This call is not counted.',
  success: {
    status: 200,
    name: 'Usage',
    schema: report,
    cacheable: false,
    description: 'Usage of the month up to now',
  },
  codes: ['unknown_parameter'],
  errors: {
    400: 'A parameter was given; this endpoint takes none',
    503: 'Usage cannot be read at the moment',
  },
} as const satisfies ApiOperation;

/** `GET /v1/usage`: the caller's usage of this month. Not counted itself. */
export function addUsageRoute(app: HttpServer, deps: UsageDeps): void {
  const schema = { response: { 200: report } };
  app.get(usageOperation.path, { schema }, async (request, reply) => {
    const { key, url } = readCredentials(request.url, request.headers['x-api-key']);
    const { origin } = request.headers;
    const project = await identify(deps.authentication, key, { scope: 'usage', address: request.ip, origin });
    reply.header(COST_HEADER, '0');
    const [, query = ''] = url.split('?', 2);
    if (query !== '')
      throw badRequest(
        `unknown parameter ${query.split('=', 1)[0]?.slice(0, 60)}; expected none`,
        'unknown_parameter',
      );
    const status = checkBurst(deps, project, request.ip);
    const now = deps.clock.now();
    const month = await read(deps.counters, project.id, monthOf(dayOf(now)));
    const body = describeUsage(project, month, now);
    status.monthLeft = body.requests.remaining;
    return reply.headers({ ...status.headers(), 'cache-control': 'no-store' }).send(body);
  });
}

async function read(counters: UsageDeps['counters'], project: string, month: string): Promise<CountedMonth> {
  try {
    return await counters.read(project, month);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw unavailable('store_unavailable', 'Usage cannot be read at the moment.', RETRY_AFTER_SECONDS, error);
  }
}
