/** Compressed answers (RFC 9110, section 8.4): negotiates the coding, and compresses off the event loop. */
import Negotiator from 'negotiator';
import { promisify } from 'node:util';
import type { Transform } from 'node:stream';
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  type ZlibOptions,
} from 'node:zlib';

export type Coding = 'br' | 'gzip';

export const CODINGS: readonly Coding[] = ['br', 'gzip'];

/** Shorter answers fit into one packet anyway; they are sent uncompressed. */
export const LEAST_CODED_BYTES = 1024;

/**
 * `quick` for answers that a client waits for, `thorough` for those that are compressed once and sent often.
 */
export type Effort = 'quick' | 'thorough';

/** Beyond the quick ones, time grows faster than answers shrink. */
const BROTLI_QUALITY = { quick: 4, thorough: constants.BROTLI_MAX_QUALITY } as const;
const GZIP_LEVEL = { quick: 6, thorough: constants.Z_BEST_COMPRESSION } as const;

/** A stream of a hundred megabytes should not wait for its compression. */
const STREAM_GZIP_LEVEL = 1;
const STREAM_BROTLI_QUALITY = 1;

const inBrotli = promisify(brotliCompress);
const inGzip = promisify(gzip) as (text: string | Buffer, options: ZlibOptions) => Promise<Buffer>;

/** The coding that a client prefers; undefined if it accepts neither. */
export function preferredCoding(acceptEncoding: string | undefined): Coding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  const best = negotiator.encoding([...CODINGS, 'identity']);
  return CODINGS.find((coding) => coding === best);
}

/**
 * The media type that a client prefers among those on offer; the first if it accepts none, or sends no
 * preference.
 */
export function preferredType<T extends string>(
  accept: string | undefined,
  offered: readonly [T, ...T[]],
): T {
  const negotiator = new Negotiator({ headers: { accept } });
  const best = negotiator.mediaType([...offered]);
  return offered.find((type) => type === best) ?? offered[0];
}

/** Compresses a text, in zlib's threads. @param text as UTF-8 where it is a Buffer */
export function encodeText(text: string | Buffer, coding: Coding, effort: Effort = 'quick'): Promise<Buffer> {
  if (coding === 'gzip') return inGzip(text, { level: GZIP_LEVEL[effort] });
  return inBrotli(text, { params: brotliParams(effort) });
}

/** Compresses a stream of text; readers get each chunk at once. */
export function createEncoder(coding: Coding): Transform {
  if (coding === 'gzip') return createGzip({ level: STREAM_GZIP_LEVEL, flush: constants.Z_SYNC_FLUSH });
  const params = { ...brotliParams('quick'), [constants.BROTLI_PARAM_QUALITY]: STREAM_BROTLI_QUALITY };
  return createBrotliCompress({ params, flush: constants.BROTLI_OPERATION_FLUSH });
}

function brotliParams(effort: Effort): Record<number, number> {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_MODE, BROTLI_MODE_TEXT } = constants;
  return { [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY[effort], [BROTLI_PARAM_MODE]: BROTLI_MODE_TEXT };
}
