/** A file that pages are made of. */
export interface Asset {
  /** Media type. */
  readonly type: string;
  /** Strong validator, with its quotes. */
  readonly etag: string;
  readonly body: Buffer;
  /** The same, compressed; empty where that saves nothing. */
  readonly coded: { readonly br?: Buffer; readonly gzip?: Buffer };
}

/** All of them, by their names below /assets/. */
export type Assets = ReadonlyMap<string, Asset>;
