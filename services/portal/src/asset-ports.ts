/** Media type of fonts: already compressed, and immutable under their names. */
export const FONT = 'font/woff2';

/** A file that pages load. */
export interface Asset {
  /** Media type. */
  readonly type: string;
  /** Strong validator of the body without a coding, with its quotes. */
  readonly etag: string;
  readonly body: Buffer;
  /** The same, compressed; empty where that saves nothing. */
  readonly coded: { readonly br?: Buffer; readonly gzip?: Buffer };
}

/** Prepares a file on first use: compressing all of them would delay the start. */
export type LoadAsset = () => Promise<Asset>;

/** All of them, by their names below /assets/. */
export type Assets = ReadonlyMap<string, LoadAsset>;
