import { withDeadline } from '@hindsight/kernel/deadline.ts';
import { gatewayTimeout } from '@hindsight/kernel/errors.ts';
import type { FastifyReply } from 'fastify';

/**
 * Does one request's work within its deadline. The work is aborted when the deadline has passed or the client has left.
 * @throws {ApiError} 504 when the deadline has passed
 */
export async function withinDeadline<T>(
  reply: FastifyReply,
  deadlineMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const leave = (): void => end.abort(new Error('the caller has left'));
  reply.raw.once('close', leave);
  const late = (): Error =>
    gatewayTimeout('deadline_exceeded', `The answer took longer than ${deadlineMs} ms.`);
  try {
    return await withDeadline(work(end.signal), deadlineMs, late);
  } finally {
    reply.raw.off('close', leave);
    end.abort(new Error('the answer is made or abandoned'));
  }
}
