/**
 * The errors of the client. Each is a `HindsightError`; a refusal by the API carries its status and request
 * id.
 */

/** The fields of an error answer that could be read. */
export interface ErrorAnswer {
  readonly status: number;
  readonly message: string;
  /** The stable code of its cause: `unknown_name`. */
  readonly code?: string | undefined;
  /** Names the case in the operator's logs. */
  readonly requestId?: string | undefined;
  /** Unix milliseconds before which a retry is useless. */
  readonly retryAtMs?: number | undefined;
}

/** Any failure of a request. */
export class HindsightError extends Error {
  override readonly name: string = 'HindsightError';
}

/** The API answered with an error. */
export class ApiError extends HindsightError {
  override readonly name: string = 'ApiError';
  readonly status: number;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  /** Unix milliseconds before which a retry is useless, if the API names them. */
  readonly retryAtMs: number | undefined;

  constructor(answer: ErrorAnswer) {
    super(answer.message);
    this.status = answer.status;
    this.code = answer.code;
    this.requestId = answer.requestId;
    this.retryAtMs = answer.retryAtMs;
  }
}

/** 3xx, 400, 405, 411, 413, 415, 422: the request itself is wrong, or its URL; the message names the fault. */
export class InvalidRequest extends ApiError {
  override readonly name = 'InvalidRequest';
}

/** 401: the API key is missing or unknown. */
export class Unauthorized extends ApiError {
  override readonly name = 'Unauthorized';
}

/** 403: the key may not do this. */
export class Forbidden extends ApiError {
  override readonly name = 'Forbidden';
}

/** 404: there is no such token, name, block or route. */
export class NotFound extends ApiError {
  override readonly name = 'NotFound';
}

/** 429: a limit is reached. Thrown if a wait would exceed `maxRetryWaitMs`. */
export class RateLimited extends ApiError {
  override readonly name = 'RateLimited';
  /** When the limit allows the next request, if the answer says so. */
  readonly retryAt: Date | undefined;

  constructor(answer: ErrorAnswer) {
    super(answer);
    this.retryAt = answer.retryAtMs === undefined ? undefined : new Date(answer.retryAtMs);
  }
}

/** 5xx: the API, or the node behind it, cannot answer; retries did not help. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError';
}

/** No answer: the connection failed or broke; retries did not help. */
export class ConnectionError extends HindsightError {
  override readonly name = 'ConnectionError';
}

/** No answer, or no more of it, within `timeoutMs`; retries did not help. */
export class TimeoutError extends HindsightError {
  override readonly name = 'TimeoutError';
}

/** The answer contradicts itself or the API's description: a row is missing, say, or a sum is wrong. */
export class InvalidAnswer extends HindsightError {
  override readonly name = 'InvalidAnswer';
}

/** The error of an answer's status. */
export function toApiError(answer: ErrorAnswer): ApiError {
  switch (answer.status) {
    case 401:
      return new Unauthorized(answer);
    case 403:
      return new Forbidden(answer);
    case 404:
      return new NotFound(answer);
    case 429:
      return new RateLimited(answer);
    default:
      return answer.status >= 500 ? new ServerError(answer) : new InvalidRequest(answer);
  }
}
