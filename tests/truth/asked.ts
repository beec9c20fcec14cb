/** The operations that a trial has asked for: a new one must join. */
import { ALL_OPERATIONS, OPERATIONS, type Operation } from '@hindsight/api/operations.ts';
import type { HttpServer } from '@hindsight/http/types.ts';

/** Collects the routes of a service that have answered, as the table of operations names them. To be called before it starts. */
export function noteRoutes(app: HttpServer): ReadonlySet<string> {
  const asked = new Set<string>();
  app.addHook('onResponse', async ({ routeOptions: { url } }, { statusCode }) => {
    if (url !== undefined && statusCode === 200) asked.add(url);
  });
  return asked;
}

/** True of an operation about one network, which its path names, or its body. */
export function isOfOneNetwork({ path, operationId }: Operation): boolean {
  return path.includes('/:network/') || operationId === OPERATIONS.getScores.operationId;
}

/** Ids of the operations about a chain's past that no answer was judged of. */
export function unasked(asked: ReadonlySet<string>, of: (operation: Operation) => boolean): string[] {
  return ALL_OPERATIONS.filter((one) => one.certainty !== null && of(one) && !asked.has(one.path)).map(
    ({ operationId }) => operationId,
  );
}
