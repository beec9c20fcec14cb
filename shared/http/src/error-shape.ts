/** Turns any error into the product's error body; the one place that decides what a caller may read. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { ConnectionError } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  ApiError,
  badRequest,
  errorBody,
  isErrorStatus,
  notFound,
  type ErrorStatus,
} from '@hindsight/kernel/errors.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';

const HIDDEN = 'Something went wrong on our side; the request id names this case in our logs.';

/** Public texts for what the HTTP framework itself refuses. */
const FRAMEWORK_TEXT: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'content-type: expected application/json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'body: it is empty; expected a JSON object',
  FST_ERR_CTP_INVALID_JSON_BODY: 'body: it is not valid JSON',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'content-length: it does not match the body',
  FST_ERR_BAD_URL: 'url: the path is not valid percent-encoded UTF-8',
};

/** Converts anything thrown into an ApiError whose message is fit for the caller. */
export function toApiError(error: unknown, bodyLimit: number): ApiError {
  if (error instanceof ApiError) return error;
  const { code = '', statusCode = 500, message } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError(413, `body: it is larger than ${bodyLimit} bytes`);
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return notFound('This path is too long: there is nothing at it');
  if (code === 'FST_ERR_VALIDATION') return badRequest(message ?? 'the request is malformed');
  if (statusCode >= 400 && statusCode < 500 && isErrorStatus(statusCode)) {
    return new ApiError(statusCode, FRAMEWORK_TEXT[code] ?? 'The request is malformed.', { cause: error });
  }
  return new ApiError(500, HIDDEN, { cause: error });
}

/** The public part of an error. */
interface ErrorAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/** Puts an error into the product's shape, and logs what the caller must not see. @param log a request's own */
export function answerTo(error: unknown, bodyLimit: number, log: Pick<Logger, 'error'>): ErrorAnswer {
  const api = toApiError(error, bodyLimit);
  const { statusCode } = api;
  if (statusCode >= 500 && !api.quiet) {
    log.error({ err: api.cause ?? api, statusCode, answered: api.message }, 'request failed');
  }
  const headers = { ...api.headers, 'content-type': 'application/json; charset=utf-8' };
  return { statusCode, headers, body: JSON.stringify(api.body) };
}

/** Sends an error in the product's shape. */
export async function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { statusCode, headers, body } = answerTo(error, request.routeOptions.bodyLimit, request.log);
  await reply.header('x-request-id', request.id).code(statusCode).headers(headers).send(body);
}

/** Answers an `Expect` that is not 100-continue: Node's own 417 has neither a body nor a request id. */
export function refuseExpectation(id: string, response: ServerResponse): void {
  const refusal = errorBody(417, 'expect: only 100-continue is supported');
  const body = JSON.stringify(refusal);
  response.writeHead(refusal.statusCode, {
    'x-request-id': id,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
}

/**
 * Answers what never became a request: bytes that are not HTTP, headers or a URL over the limit, a request that took
 * too long to arrive.
 */
export function answerClientError(error: ConnectionError, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = describeClientError(error as ConnectionError & { rawPacket?: Buffer });
  const body = JSON.stringify(errorBody(status, message));
  socket.end(
    `HTTP/1.1 ${status} ${errorBody(status, '').error}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

function describeClientError(error: ConnectionError & { rawPacket?: Buffer }): [ErrorStatus, string] {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'The request did not arrive in time.'];
  if (error.code !== 'HPE_HEADER_OVERFLOW') return [400, 'The request is not valid HTTP/1.1.'];
  // The parser counts the URL among the headers; if the first line of the packet has no end, the URL was too long.
  const overlongUrl = error.rawPacket?.indexOf('\r\n') === -1;
  return overlongUrl ? [400, 'url: it is longer than 16 KiB'] : [431, 'The headers are longer than 16 KiB.'];
}
