/** Compressed answers (RFC 9110, section 8.4): which coding a client wants, and the work itself, off the event loop. */
import Negotiator from 'negotiator';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, type ZlibOptions } from 'node:zlib';

/** A supported coding. */
export type Coding = 'br' | 'gzip';

/** All of them. */
export const CODINGS: readonly Coding[] = ['br', 'gzip'];

/** Shorter answers fit into one packet anyway; they are sent uncompressed. */
export const LEAST_CODED_BYTES = 1024;

/** `quick`: for an answer that a client is waiting for. `thorough`: for what is compressed once and sent often. */
export type Effort = 'quick' | 'thorough';

/** Beyond the quick ones, time grows faster than answers shrink. */
const BROTLI_QUALITY = { quick: 4, thorough: constants.BROTLI_MAX_QUALITY } as const;
const GZIP_LEVEL = { quick: 6, thorough: constants.Z_BEST_COMPRESSION } as const;

const inBrotli = promisify(brotliCompress);
const inGzip = promisify(gzip) as (text: string | Buffer, options: ZlibOptions) => Promise<Buffer>;

/** The coding that a client prefers; undefined if it accepts none of ours. */
export function preferredCoding(acceptEncoding: string | undefined): Coding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  const best = negotiator.encoding([...CODINGS, 'identity']);
  return CODINGS.find((coding) => coding === best);
}

/** Compresses a text, in zlib's threads. @param text as UTF-8 where it is a Buffer */
export function encodeText(text: string | Buffer, coding: Coding, effort: Effort = 'quick'): Promise<Buffer> {
  if (coding === 'gzip') return inGzip(text, { level: GZIP_LEVEL[effort] });
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_MODE, BROTLI_MODE_TEXT } = constants;
  const params = { [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY[effort], [BROTLI_PARAM_MODE]: BROTLI_MODE_TEXT };
  return inBrotli(text, { params });
}
