import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendError, toApiError } from '@hindsight/http/error-shape.ts';
import { unavailable } from '@hindsight/kernel/errors.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { messagePage } from '../pages/message.ts';
import { frameFor, sendPage, type PageContext } from './pages.ts';

/** True if a browser wants a page; scripts and programs get JSON. */
function wantsPage(request: FastifyRequest): boolean {
  return request.headers.accept?.includes('text/html') ?? false;
}

/** Sends errors: a page to people, the API's error body to programs. */
export function faultSender(
  context: PageContext,
): (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (error, request, reply) => {
    const shown =
      error instanceof StoreUnavailable
        ? unavailable('store_unavailable', 'Accounts are unavailable right now.', {
            cause: error,
            seconds: 5,
          })
        : error;
    if (!wantsPage(request)) return sendError(shown, request, reply);
    const { statusCode, message, headers, cause } = toApiError(shown, request.routeOptions.bodyLimit ?? 0);
    if (statusCode >= 500) request.log.error({ err: cause ?? shown, statusCode }, 'request failed');
    const retryAfter = Number(headers['retry-after']);
    // A reader whose session cannot be read appears signed out; while the store is unavailable the session is
    // not even read.
    const readable = !(error instanceof StoreUnavailable);
    const signedIn = readable ? await context.sessions.current(request.headers).catch(() => null) : null;
    const page = messagePage(frameFor(context, request, signedIn), {
      status: statusCode,
      message: request.is404 ? '' : message,
      requestId: request.id,
      retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
    });
    await sendPage(reply.header('x-request-id', request.id).headers(headers), page, statusCode);
  };
}
