import { LRUCache } from 'lru-cache';
import type { AnswerCache } from '../ports.ts';

/** Answers kept in this process. @param maxBytes what they may take in all */
export function createMemoryCache(maxBytes: number): AnswerCache {
  const kept = new LRUCache<string, string>({
    maxSize: maxBytes,
    sizeCalculation: (answer, key) => 2 * (answer.length + key.length) + 100,
  });
  return {
    get: async (key) => kept.get(key),
    set: async (key, answer) => void kept.set(key, answer),
  };
}
