import { etagOf } from '@hindsight/shared/http/cacheable.ts';
import { encodeText, type Effort } from '@hindsight/shared/http/content-coding.ts';
import { FONT, type Asset } from '../asset-ports.ts';

/** A file with its validator and, unless it is a font, which is compressed already, in every coding. */
export async function makeAsset(type: string, body: Buffer, effort: Effort = 'thorough'): Promise<Asset> {
  const plain = { type, etag: etagOf(body), body };
  if (type === FONT) return { ...plain, coded: {} };
  const [br, gzip] = await Promise.all([encodeText(body, 'br', effort), encodeText(body, 'gzip', effort)]);
  return { ...plain, coded: { br, gzip } };
}
