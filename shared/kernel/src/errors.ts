/**
 * The one catalogue of errors that an API caller can receive.
 *
 * Every answer that is not a success has the body `{message, error, statusCode}`.
 * `message` is public; what only an operator may read (a node's text, a query, a stack) travels in `cause`
 * and reaches the log, never the caller.
 */

/** The JSON body of every error answer. */
export interface ErrorBody {
  readonly message: string;
  readonly error: string;
  readonly statusCode: number;
}

const STATUS_NAMES = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  411: 'Length Required',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
} as const;

/** A status that this product answers with when it does not answer with success. */
export type ErrorStatus = keyof typeof STATUS_NAMES;

/** Whether a status is in the catalogue. */
export function isErrorStatus(status: number): status is ErrorStatus {
  return status in STATUS_NAMES;
}

/** Builds the body of an error answer. */
export function errorBody(statusCode: ErrorStatus, message: string): ErrorBody {
  return { message, error: STATUS_NAMES[statusCode], statusCode };
}

interface ApiErrorOptions {
  /** What an operator needs to know; logged, never sent. */
  readonly cause?: unknown;
  /** Headers of the answer, for instance `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Expected, and frequent: counted, but not logged each time. */
  readonly quiet?: boolean;
}

/** An error with a public face: thrown anywhere, turned into an answer by the HTTP server's error handler. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly statusCode: ErrorStatus;
  readonly headers: Readonly<Record<string, string>>;
  readonly quiet: boolean;

  constructor(statusCode: ErrorStatus, publicMessage: string, options: ApiErrorOptions = {}) {
    super(publicMessage, options.cause === undefined ? undefined : { cause: options.cause });
    this.statusCode = statusCode;
    this.headers = options.headers ?? {};
    this.quiet = options.quiet ?? false;
  }

  /** The answer's body. */
  get body(): ErrorBody {
    return errorBody(this.statusCode, this.message);
  }
}

/** 400: a parameter or body field is malformed; the message names the field, what was wrong and what is expected. */
export function badRequest(message: string): ApiError {
  return new ApiError(400, message);
}

/** 401: the same words for a missing, empty, malformed and unknown key, so that they reveal nothing. */
export function unauthorized(): ApiError {
  return new ApiError(
    401,
    'A valid project key is required: send it in the x-api-key header (recommended) or as the projectId query parameter.',
    { headers: { 'www-authenticate': 'ApiKey' } },
  );
}

/** 403: the key is known, its project may not be served. */
export function forbidden(message: string): ApiError {
  return new ApiError(403, message);
}

/** 404: no such route or no such record. */
export function notFound(message: string): ApiError {
  return new ApiError(404, message);
}

/** 405, with the methods that the path does know. */
export function methodNotAllowed(method: string, allowed: readonly string[]): ApiError {
  const allow = allowed.join(', ');
  return new ApiError(405, `${method} is not supported here; supported: ${allow}`, { headers: { allow } });
}

/** 502: the source answered, but cannot answer this question. */
export function badGateway(message: string, cause?: unknown): ApiError {
  return new ApiError(502, message, { cause });
}

/** 503: a dependency is unavailable or overloaded; the caller may try again after `retryAfterSeconds`. */
export function unavailable(message: string, retryAfterSeconds: number, cause?: unknown): ApiError {
  return new ApiError(503, message, { cause, headers: { 'retry-after': String(retryAfterSeconds) } });
}

/** 504: the answer did not come within the request's deadline. */
export function gatewayTimeout(message: string, cause?: unknown): ApiError {
  return new ApiError(504, message, { cause });
}
