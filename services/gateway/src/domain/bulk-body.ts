/** A body of many rows: what it may cost is known from its length before it is forwarded. */
import { ApiError } from '@hindsight/kernel/errors.ts';

interface DeclaredBody {
  readonly 'content-length'?: string | undefined;
  readonly 'content-encoding'?: string | undefined;
}

/**
 * The declared length of a body in bytes.
 * @throws {ApiError} 415 for a compressed one, 411 for one without a length, 413 beyond the limit
 */
export function declaredBytes(headers: DeclaredBody, maxBytes: number): number {
  const { 'content-length': length, 'content-encoding': coding = 'identity' } = headers;
  if (coding.toLowerCase() !== 'identity')
    throw unread(415, 'content-encoding: it is not supported here; expected a body that is not compressed');
  if (length === undefined)
    throw unread(411, 'content-length: it is missing; expected the length of the body in bytes');
  if (Number(length) > maxBytes) throw unread(413, `body: it is larger than ${maxBytes} bytes`);
  return Number(length);
}

/** The body is not read. */
function unread(statusCode: 411 | 413 | 415, message: string): ApiError {
  return new ApiError(statusCode, message, { headers: { connection: 'close' } });
}
