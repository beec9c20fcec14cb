import { withDeadline } from '@hindsight/kernel/deadline.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import type { HttpServer } from './types.ts';

/** A check must answer within this time, or counts as missing. */
const CHECK_DEADLINE_MS = 1_500;
/** A report is cached for this long: `/readyz` is public, and its checks put load on the dependencies. */
const KEEP_MS = 1_000;

interface CheckResult {
  readonly name: string;
  readonly anyOf?: string | undefined;
  readonly ok: boolean;
  readonly detail: string;
}

/** Adds `GET /livez` (the process runs) and `GET /readyz` (200 or 503, with a line for each dependency). */
export function addHealthRoutes(
  app: HttpServer,
  checks: readonly ReadinessCheck[],
  lifecycle: Lifecycle,
): void {
  const report = shareReports(checks);
  app.get('/livez', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const results = [...(await report())];
    if (lifecycle.stopping) results.push({ name: 'process', ok: false, detail: 'shutting down' });
    const ready = results.every(({ ok, anyOf }) => ok || results.some((other) => holdsFor(anyOf, other)));
    const parts = results.map(({ name, ok, detail }) => ({ name, ok, detail }));
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', parts });
  });
}

function holdsFor(anyOf: string | undefined, { ok, anyOf: own }: CheckResult): boolean {
  return ok && anyOf !== undefined && anyOf === own;
}

/** One run of the checks at a time, shared by all callers; its result is cached for a second. */
function shareReports(checks: readonly ReadinessCheck[]): () => Promise<readonly CheckResult[]> {
  let report: Promise<readonly CheckResult[]> | undefined;
  const forget = (): void => void (report = undefined);
  return () =>
    (report ??= Promise.all(checks.map(runCheck)).finally(() => setTimeout(forget, KEEP_MS).unref()));
}

/**
 * The same checks for a public port, which shows only that a dependency is unavailable. The reason goes to the log, once for each
 * time that it becomes unavailable.
 */
export function withoutReasons(checks: readonly ReadinessCheck[], logger: Logger): ReadinessCheck[] {
  return checks.map((part) => {
    const { name } = part;
    let missing = false;
    return {
      ...part,
      async check() {
        try {
          const detail = await part.check();
          if (missing) logger.info({ part: name }, 'a dependency is available again');
          missing = false;
          return detail;
        } catch (err) {
          if (!missing) logger.warn({ err, part: name }, 'a dependency is unavailable');
          missing = true;
          throw new Error('not reachable', { cause: err });
        }
      },
    };
  });
}

async function runCheck(part: ReadinessCheck): Promise<CheckResult> {
  const { name, anyOf } = part;
  const late = (): Error => new Error(`no answer within ${CHECK_DEADLINE_MS} ms`);
  try {
    return { name, anyOf, ok: true, detail: await withDeadline(part.check(), CHECK_DEADLINE_MS, late) };
  } catch (error) {
    return { name, anyOf, ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}
