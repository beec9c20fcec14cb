import { toApiError, type ApiError } from './errors.ts';

/** An error in place of an answer, as the API writes it. */
interface WireError {
  readonly message: string;
  readonly statusCode: number;
  readonly code?: string;
}

/** The error of one row among many. */
export function rowErrorOf({ message, statusCode, code }: WireError): ApiError {
  return toApiError({ status: statusCode, message, code });
}
