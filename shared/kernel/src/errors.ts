/**
 * The one catalogue of errors that an API caller can receive.
 *
 * Every error answer has the body `{message, error, statusCode, code, request_id, docs}`; a row of a batch
 * without an answer has the first four. `message` is public. Details for operators (a node's text, a query, a
 * stack) travel in `cause` and reach the log, never the caller.
 */
import { getBuiltinModule } from 'node:process';
import { ERROR_CASES, type CodeOf, type ErrorCode } from './error-codes.ts';

/** The fields of an error, in an answer's body and in a row. */
export interface ErrorBody {
  readonly message: string;
  readonly error: string;
  readonly statusCode: number;
  readonly code: ErrorCode;
  /** Added to a 429 of a limit counted in units: the most that the request may cost, and the units left. */
  readonly cost?: number;
  readonly left?: number;
}

// Not by an `import`, which reads all exports of `node:http`: `spare-undici.ts` says what that costs.
const { STATUS_CODES } = getBuiltinModule('node:http');

/** Every status of an error answer of this product. */
export type ErrorStatus = (typeof ERROR_CASES)[ErrorCode]['status'];

export function errorBody(code: ErrorCode, message: string): ErrorBody {
  const statusCode = ERROR_CASES[code].status;
  return { message, error: STATUS_CODES[statusCode] ?? '', statusCode, code };
}

/**
 * An error as the whole of an answer. `request_id` is its `x-request-id`, and `docs` the path of the portal's page on the code,
 * to which the gateway redirects.
 */
export function answerBody(body: ErrorBody, requestId: string) {
  return { ...body, request_id: requestId, docs: `/docs/errors#${body.code}` };
}

interface ApiErrorOptions {
  /** Details for operators; logged, never sent. */
  readonly cause?: unknown;
  /** Headers of the answer, for instance `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields of the body. */
  readonly details?: Pick<ErrorBody, 'cost' | 'left'>;
  /** Expected and frequent: counted, but not logged each time. */
  readonly quiet?: boolean;
}

/** An error named after its class, in logs, metrics and dead letters. */
export class Fault extends Error {
  override readonly name: string = this.constructor.name;
}

/** An error with a public face: thrown anywhere, turned into an answer by the HTTP server's error handler. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly statusCode: ErrorStatus;
  readonly headers: Readonly<Record<string, string>>;
  readonly quiet: boolean;
  readonly #details: ApiErrorOptions['details'];

  constructor(code: ErrorCode, publicMessage: string, options: ApiErrorOptions = {}) {
    super(publicMessage, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.statusCode = ERROR_CASES[code].status;
    this.headers = options.headers ?? {};
    this.quiet = options.quiet ?? false;
    this.#details = options.details;
  }

  /** The fields that a caller sees, without those of one request. */
  get body(): ErrorBody {
    return { ...errorBody(this.code, this.message), ...this.#details };
  }
}

/** The reason for which work ends whose client has left: there is no reader of an answer, and nothing has failed. */
export class ClientLeft extends Fault {
  constructor(message = 'the client has left') {
    super(message);
  }
}

/**
 * 400: a parameter or body field is malformed; the message names the field, the fault and the expectation.
 */
export function badRequest(message: string, code: CodeOf<400> = 'invalid_parameter'): ApiError {
  return new ApiError(code, message);
}

/** 401, in the same words for every reason, so that it reveals nothing about the key. */
export function unauthorized(code: CodeOf<401>): ApiError {
  return new ApiError(
    code,
    'A valid API key is required: send it in the x-api-key header (recommended) or as the projectId query parameter.',
    { headers: { 'www-authenticate': 'ApiKey' } },
  );
}

/** 403: the key is known, but its project may not be served. */
export function forbidden(code: CodeOf<403>, message: string): ApiError {
  return new ApiError(code, message);
}

/** 404: no such route or no such record; the code says which. */
export function notFound(code: CodeOf<404>, message: string): ApiError {
  return new ApiError(code, message);
}

/** 405, with the methods that the path does know. */
export function methodNotAllowed(method: string, allowed: readonly string[]): ApiError {
  const allow = allowed.join(', ');
  return new ApiError('method_not_allowed', `${method} is not supported here; supported: ${allow}`, {
    headers: { allow },
  });
}

/** 502: the source answered, but cannot answer this question. */
export function badGateway(code: CodeOf<502>, message: string, cause?: unknown): ApiError {
  return new ApiError(code, message, { cause });
}

/** 503: a dependency is unavailable or overloaded; the caller may try again after `seconds`. */
export function unavailable(
  code: CodeOf<503>,
  message: string,
  { seconds = 2, headers, ...more }: ApiErrorOptions & { readonly seconds?: number | undefined } = {},
): ApiError {
  return new ApiError(code, message, { ...more, headers: { 'retry-after': String(seconds), ...headers } });
}

/** 504: the answer did not come within the request's deadline. */
export function gatewayTimeout(code: CodeOf<504>, message: string, cause?: unknown): ApiError {
  return new ApiError(code, message, { cause });
}
