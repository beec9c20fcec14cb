/** A body of many rows: what it may cost is known from its length before it is forwarded. */
import type { CodeOf } from '@hindsight/kernel/error-codes.ts';
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
    throw unread(
      'unsupported_media_type',
      'content-encoding: it is not supported here; expected a body that is not compressed',
    );
  if (length === undefined)
    throw unread(
      'length_required',
      'content-length: it is missing; expected the length of the body in bytes',
    );
  if (Number(length) > maxBytes) throw unread('body_too_large', `body: it is larger than ${maxBytes} bytes`);
  return Number(length);
}

/** The body is not read. */
function unread(code: CodeOf<411 | 413 | 415>, message: string): ApiError {
  return new ApiError(code, message, { headers: { connection: 'close' } });
}
