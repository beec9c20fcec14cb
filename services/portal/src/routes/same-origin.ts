import { forbidden } from '@hindsight/kernel/errors.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { OriginOf } from '../origin.ts';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses with 403 any changing request that does not come from a page of the portal: every browser names the
 * page's origin with such a request, and no page can name another's.
 */
export function refuseForeignOrigins(app: HttpServer, originOf: OriginOf): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const own = READING.has(request.method) || request.headers.origin === originOf(request);
    done(
      own
        ? undefined
        : forbidden('foreign_origin', 'This form was not submitted from a page of this portal.'),
    );
  });
}
