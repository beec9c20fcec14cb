import { ClientLeft } from '@hindsight/kernel/errors.ts';
import type { FastifyReply } from 'fastify';

/** Aborts when the connection closes, answered or not. */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const client = new AbortController();
  reply.raw.once('close', () => client.abort(new ClientLeft()));
  return client.signal;
}
