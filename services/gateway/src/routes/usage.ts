import type { Clock } from '@hindsight/shared/clock.ts';
import { badRequest, unavailable } from '@hindsight/shared/errors.ts';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { StoreUnavailable } from '@hindsight/shared/stores/unavailable.ts';
import { dayOf, monthOf } from '@hindsight/shared/usage/calendar.ts';
import { describeUsage } from '@hindsight/shared/usage/describe.ts';
import type { MonthUsage, UsageReader } from '@hindsight/shared/usage/ports.ts';
import type { BurstLimiter } from '../burst-limiter.ts';
import { readCredentials } from '../domain/credentials.ts';
import { Standing } from '../standing.ts';
import { checkBurst } from '../steps/admit.ts';
import { authenticate, type Authentication } from '../steps/authenticate.ts';

interface UsageDeps {
  readonly authentication: Authentication;
  readonly burst: BurstLimiter;
  readonly usage: UsageReader;
  readonly clock: Clock;
}

const RETRY_AFTER_SECONDS = 2;

/** `GET /v1/usage`: what the caller has used of this month. Not counted itself. */
export function addUsageRoute(app: HttpServer, deps: UsageDeps): void {
  app.get('/v1/usage', async (request, reply) => {
    const { key, url } = readCredentials(request.url, request.headers['x-api-key']);
    const project = await authenticate(deps.authentication, key, request.ip);
    const [, query = ''] = url.split('?', 2);
    if (query !== '')
      throw badRequest(`unknown parameter ${query.split('=', 1)[0]?.slice(0, 60)}; expected none`);
    const now = deps.clock.now();
    const standing = new Standing(project, now);
    checkBurst(deps.burst, project, request.ip, standing);
    const month = await read(deps.usage, project.id, monthOf(dayOf(now)));
    const body = describeUsage(project, month, now);
    standing.monthLeft = body.requests.remaining;
    return reply.headers({ ...standing.headers(), 'cache-control': 'no-store' }).send(body);
  });
}

async function read(usage: UsageReader, project: string, month: string): Promise<MonthUsage> {
  try {
    return await usage.read(project, month);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw unavailable('Usage cannot be read at the moment.', RETRY_AFTER_SECONDS, error);
  }
}
