import { notFound, unavailable } from '@hindsight/kernel/errors.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { isKnown } from '@hindsight/http/cacheable.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { OriginOf } from '../origin.ts';
import type { Packages } from '../package-ports.ts';
import { PUBLIC_FILE_HEADERS } from './security-headers.ts';

/** A build in a clone may succeed later. */
const RETRY_S = 60;

interface PackageDeps {
  readonly packages: Packages;
  readonly originOf: OriginOf;
  readonly logger: Logger;
}

/**
 * `GET /packages.json`: the client, the command line, the MCP server and Python's examples, with their addresses and
 * integrity. `GET /packages/<file>`: one of them.
 */
export function addPackages(app: HttpServer, { packages, originOf, logger }: PackageDeps): void {
  const orUnavailable = async <T>(read: Promise<T>): Promise<T> => {
    try {
      return await read;
    } catch (error) {
      logger.error({ err: error }, 'packages cannot be read: npm run build:packages makes them');
      throw unavailable('service_unavailable', 'The packages of this installation are not there yet.', {
        seconds: RETRY_S,
      });
    }
  };

  app.get('/packages.json', async (request, reply) => {
    const list = await orUnavailable(packages.list());
    const origin = originOf(request);
    const listed = list.map(({ file, ...about }) => ({ ...about, url: `${origin}/packages/${file}` }));
    return reply.headers({ ...PUBLIC_FILE_HEADERS, 'cache-control': 'public, no-cache' }).send(listed);
  });

  app.get<{ Params: { file: string } }>('/packages/:file', async (request, reply) => {
    const list = await orUnavailable(packages.list());
    // Only names of the list reach the disk.
    const one = list.find(({ file }) => file === request.params.file);
    if (one === undefined) throw notFound('not_found', 'Package not found; /packages.json lists them.');
    const etag = `"${one.integrity}"`;
    // The same version may be built again in a clone, so it is revalidated.
    void reply.headers({ ...PUBLIC_FILE_HEADERS, etag, 'cache-control': 'public, no-cache' });
    if (isKnown(request, etag)) return reply.code(304).send();
    return reply.type('application/gzip').send(await orUnavailable(packages.read(one)));
  });
}
