import type { FastifyReply } from 'fastify';

/** Aborted when the client of a reply has left, or has its answer: nothing more is asked for it. */
export function clientOf(reply: FastifyReply): AbortSignal {
  const client = new AbortController();
  reply.raw.once('close', () => client.abort(new Error('the client has left')));
  return client.signal;
}
