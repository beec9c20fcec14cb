import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendError, toApiError } from '@hindsight/shared/http/error-shape.ts';
import { unavailable } from '@hindsight/shared/errors.ts';
import { StoreUnavailable } from '@hindsight/shared/stores/unavailable.ts';
import { messagePage } from '../pages/message.ts';
import { frameFor, sendPage } from './pages.ts';

const RETRY_AFTER_SECONDS = 5;

/** Whether a browser asks for a page, as against a script or a program. */
function wantsPage(request: FastifyRequest): boolean {
  return request.headers.accept?.includes('text/html') ?? false;
}

/** Answers what went wrong: people with a page, programs with the product's error body. */
export async function sendFault(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const shown =
    error instanceof StoreUnavailable
      ? unavailable('Accounts are unavailable right now.', RETRY_AFTER_SECONDS, error)
      : error;
  const { statusCode, message, headers, cause } = toApiError(shown, request.routeOptions.bodyLimit ?? 0);
  if (!wantsPage(request)) {
    await sendError(shown, request, reply);
    return;
  }
  if (statusCode >= 500) request.log.error({ err: cause ?? shown, statusCode }, 'request failed');
  const retryAfter = Number(headers['retry-after']);
  const page = messagePage(frameFor({ mailbox: false }, request, null), {
    status: statusCode,
    message,
    requestId: request.id,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
  await sendPage(reply.header('x-request-id', request.id).headers(headers), page, statusCode);
}
