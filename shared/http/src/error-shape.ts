/** Turns any error into the product's error body: the one place that decides what a caller may read. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { ConnectionError } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '@hindsight/kernel/error-codes.ts';
import {
  answerBody,
  ApiError,
  badRequest,
  ClientLeft,
  errorBody,
  notFound,
  type ErrorBody,
} from '@hindsight/kernel/errors.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';

const HIDDEN = 'Something went wrong on our side; the request id names this case in our logs.';

/** Codes and public texts for what the HTTP framework itself refuses. */
const FRAMEWORK_ERRORS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'content-type: expected application/json'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_body', 'body: it is empty; expected a JSON object'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_body', 'body: it is not valid JSON'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_body', 'content-length: it does not match the body'],
  FST_ERR_BAD_URL: ['malformed_request', 'url: the path is not valid percent-encoded UTF-8'],
};

/**
 * Its other refusals, by status. A status that is not here is a defect of this service, so it becomes a 500.
 */
const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'malformed_request',
  404: 'unknown_route',
  408: 'request_timeout',
  411: 'length_required',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  417: 'expectation_failed',
  431: 'headers_too_large',
};

/** Converts anything thrown into an ApiError whose message a caller may read. */
export function toApiError(error: unknown, bodyLimit: number): ApiError {
  if (error instanceof ApiError) return error;
  const { code = '', statusCode = 500, message } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError('body_too_large', `body: it is larger than ${bodyLimit} bytes`);
  if (code === 'FST_ERR_MAX_PARAM_LENGTH')
    return notFound('unknown_route', 'This path is too long: there is nothing at it');
  if (code === 'FST_ERR_VALIDATION') return badRequest(message ?? 'the request is malformed');
  const status = CODE_OF_STATUS[statusCode];
  if (status === undefined) return new ApiError('internal_error', HIDDEN, { cause: error });
  const [known, text] = FRAMEWORK_ERRORS[code] ?? [status, 'The request is malformed.'];
  return new ApiError(known, text, { cause: error });
}

interface ErrorAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

interface FailedRequest {
  readonly id: string;
  /** Most bytes of its body. */
  readonly bodyLimit: number;
  readonly log: Pick<Logger, 'error'>;
}

/** Puts an error into the product's shape, and logs what the caller must not see. */
export function answerTo(error: unknown, { id, bodyLimit, log }: FailedRequest): ErrorAnswer {
  const api = toApiError(error, bodyLimit);
  const { statusCode } = api;
  if (statusCode >= 500 && !api.quiet && !(api.cause instanceof ClientLeft)) {
    log.error({ err: api.cause ?? api, statusCode, answered: api.message }, 'request failed');
  }
  // A cache may keep a 404 that does not forbid it, and give it to others, or when it is no longer true (RFC 9111, 4.2.2).
  const headers = {
    ...api.headers,
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  };
  return { statusCode, headers, body: JSON.stringify(answerBody(api.body, id)) };
}

/** Sends an error in the product's shape. */
export async function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { id, log, routeOptions } = request;
  const { statusCode, headers, body } = answerTo(error, { id, log, bodyLimit: routeOptions.bodyLimit });
  await reply.header('x-request-id', id).code(statusCode).headers(headers).send(body);
}

/** Most characters of a URL: the longest question that has an answer is far shorter. */
const MAX_URL_LENGTH = 8 * 1024;
const URL_TOO_LONG = errorBody('malformed_request', 'url: it is longer than 8 KiB');
const URL_WITH_FRAGMENT = errorBody('malformed_request', 'url: it has a "#"; expected %23 in its place');
const NO_HOST = errorBody('malformed_request', 'host: it is missing; HTTP/1.1 requires it');
const TWO_HOSTS = errorBody('malformed_request', 'host: it is sent more than once; expected it once');
const BAD_EXPECTATION = errorBody('expectation_failed', 'expect: only 100-continue is supported');

/** Headers of each answer of a server, by name. */
type Headers = Readonly<Record<string, string>>;

/**
 * The reason to refuse a request before anything reads it, if there is one:
 * - its URL is over the limit, or has a fragment, which HTTP/1.1 does not have: our router reads a query after it, and what
 *   prices a request does not;
 * - it has no host (Node's own 400 has neither a body nor a request id), or two, of which a proxy may have read the other
 *   (RFC 9112, 3.2).
 */
export function refusalOf({
  url = '',
  headers,
  rawHeaders,
  httpVersion,
}: IncomingMessage): ErrorBody | undefined {
  if (url.length > MAX_URL_LENGTH) return URL_TOO_LONG;
  if (url.includes('#')) return URL_WITH_FRAGMENT;
  if (headers.host === undefined) return httpVersion === '1.1' ? NO_HOST : undefined;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === 'host') hosts++;
  return hosts > 1 ? TWO_HOSTS : undefined;
}

/** Answers an `Expect` that is not 100-continue: Node's own 417 has neither a body nor a request id. */
export function refuseExpectation(id: string, response: ServerResponse, own: Headers): void {
  refuse(BAD_EXPECTATION, id, response, own);
}

export function refuse(refusal: ErrorBody, id: string, response: ServerResponse, own: Headers): void {
  const body = JSON.stringify(answerBody(refusal, id));
  response.writeHead(refusal.statusCode, {
    ...own,
    'x-request-id': id,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
}

/**
 * Answers input that never became a request: bytes that are not HTTP, headers or a URL over the limit, a
 * request that took too long to arrive.
 */
export function answerClientError(id: string, error: ConnectionError, socket: Socket, own: Headers): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = describeClientError(error as ConnectionError & { rawPacket?: Buffer });
  const body = JSON.stringify(answerBody(refusal, id));
  const headers = Object.entries(own).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${refusal.statusCode} ${refusal.error}\r\nx-request-id: ${id}\r\n${headers.join('')}` +
      `content-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

function describeClientError(error: ConnectionError & { rawPacket?: Buffer }): ErrorBody {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return errorBody('request_timeout', 'The request did not arrive in time.');
  if (error.code !== 'HPE_HEADER_OVERFLOW')
    return errorBody('malformed_request', 'The request is not valid HTTP/1.1.');
  // The parser counts the URL among the headers; if the first line of the packet has no end, the URL was too long.
  const overlongUrl = error.rawPacket?.indexOf('\r\n') === -1;
  return overlongUrl ? URL_TOO_LONG : errorBody('headers_too_large', 'The headers are longer than 16 KiB.');
}
