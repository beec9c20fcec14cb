import type { FastifyRequest } from 'fastify';

/** The project of a request's key. Only the gateway sets this header. */
export function projectOf(request: FastifyRequest): string {
  const project = request.headers['x-hindsight-project'];
  if (typeof project === 'string' && project !== '') return project;
  throw new Error('the request did not come through the gateway: it names no project');
}
