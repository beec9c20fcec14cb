/**
 * A service's entity tag is a hash of its answer, so a client that guesses the answer has the tag, and a 304 is free.
 * Clients get the tag with a code that only this installation can make. The code covers the URL: the tag of one answer
 * proves nothing about another.
 */
import { Codes } from '@hindsight/projects/codes.ts';

/** More than any cache keeps of one URL; each costs a hash of the URL. */
const MAX_TAGS = 16;

const TAG = /^(?<weak>W\/)?"(?<opaque>[^"]*)"$/;
const SIGNED = /^(?:W\/)?"(?<opaque>[^"]*)\.(?<code>[\w-]{43})"$/;

/** Signs the tags that go out and knows them again: the same on all gateways with the same secret. */
export class EntityTags {
  readonly #codes: Codes;

  /** @param secret `SECRETS_KEY` */
  constructor(secret: string) {
    this.#codes = new Codes(secret, 'entity tags');
  }

  /** A service's tag as clients get it; undefined if it is not a tag. */
  sign(url: string, tag: string): string | undefined {
    const { weak = '', opaque } = TAG.exec(tag)?.groups ?? {};
    return opaque === undefined ? undefined : `${weak}"${opaque}.${this.#codes.of(textOf(url, opaque))}"`;
  }

  /**
   * The services' tags in `If-None-Match`; undefined if there are none. A tag that was not signed here is dropped, and so
   * is `*`: it would be a free answer to a client that has none.
   */
  known(url: string, ifNoneMatch: string | undefined): string | undefined {
    if (ifNoneMatch === undefined) return undefined;
    const tags = ifNoneMatch.split(',', MAX_TAGS).flatMap((tag) => {
      const { opaque, code } = SIGNED.exec(tag.trim())?.groups ?? {};
      if (opaque === undefined || code === undefined) return [];
      return this.#codes.isOf(code, textOf(url, opaque)) ? [`"${opaque}"`] : [];
    });
    return tags.length === 0 ? undefined : tags.join(', ');
  }
}

function textOf(url: string, opaque: string): string {
  return `${url} ${opaque}`;
}
