import type { CacheableBody } from '@hindsight/http/cacheable.ts';
import { LRUCache } from 'lru-cache';

/** Answered pages of one list, until the list changes. */
export class PageCache {
  readonly #pages: LRUCache<string, CacheableBody>;
  #version: number | undefined;

  /** @param maxBytes of all pages together */
  constructor(maxBytes: number) {
    this.#pages = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ body }, key) => 2 * (body.length + key.length),
    });
  }

  has(key: string): boolean {
    return this.#pages.has(key);
  }

  /** @param version of the list, now */
  find(key: string, version: number): CacheableBody | undefined {
    return version === this.#version ? this.#pages.get(key) : undefined;
  }

  /** @param version of the list, before the page was read: the page may be newer, but never older */
  keep(key: string, version: number, page: CacheableBody): void {
    if (version !== this.#version) this.#pages.clear();
    this.#version = version;
    this.#pages.set(key, page);
  }
}
