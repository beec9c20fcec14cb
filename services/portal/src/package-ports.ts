/** A package that this installation serves. */
export interface Package {
  readonly name: string;
  readonly version: string;
  /** Its name below /packages/. */
  readonly file: string;
  readonly bytes: number;
  /** As package managers write it: `sha512-` and base64. */
  readonly integrity: string;
}

export interface Packages {
  /** @throws {Error} if they are not there and cannot be built */
  readonly list: () => Promise<readonly Package[]>;
  readonly read: (one: Package) => Promise<Buffer>;
}
