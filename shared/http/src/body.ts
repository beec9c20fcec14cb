import type { IncomingMessage } from 'node:http';
import { badRequest } from '@hindsight/kernel/errors.ts';
import { bodyTooLarge } from './unread-body.ts';

/**
 * Reads a request's body; null if it has none. A body whose declared length is too long is not read at all.
 * @throws {ApiError} 413 for more than `limit` bytes; 400 when the client disconnects halfway
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer | null> {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (length === undefined && coding === undefined) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    if (Number(length) > limit) {
      reject(bodyTooLarge(limit));
      return;
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      const before = bytes;
      bytes += chunk.length;
      if (bytes <= limit) chunks.push(chunk);
      else if (before <= limit) {
        chunks.length = 0;
        reject(bodyTooLarge(limit));
      }
    });
    request.once('end', () => resolve(bytes === 0 ? null : Buffer.concat(chunks)));
    request.once('close', () => reject(badRequest('body: it is not complete', 'invalid_body')));
  });
}
