/** Refusals of a body of which nothing more is read, so that nothing can follow it on its connection. */
import type { CodeOf } from '@hindsight/kernel/error-codes.ts';
import { ApiError } from '@hindsight/kernel/errors.ts';

/**
 * Refuses a compressed body: its bytes are no text, and its length says nothing of its contents.
 * @throws {ApiError} 415
 */
export function refuseCompressed(headers: { readonly 'content-encoding'?: string | undefined }): void {
  const { 'content-encoding': coding = 'identity' } = headers;
  if (coding.toLowerCase() !== 'identity')
    throw unreadBody('unsupported_media_type', 'content-encoding: expected none; send the body uncompressed');
}

/** 413: the body is larger than is taken. */
export function bodyTooLarge(maxBytes: number): ApiError {
  return unreadBody('body_too_large', `body: it is larger than ${maxBytes} bytes`);
}

/** 411: without its length a body's cost is not known before it is read. */
export function lengthRequired(): ApiError {
  return unreadBody(
    'length_required',
    'content-length is required: send the length of the body, and not chunks',
  );
}

export function unreadBody(code: CodeOf<411 | 413 | 415>, message: string): ApiError {
  return new ApiError(code, message, { headers: { connection: 'close' } });
}
