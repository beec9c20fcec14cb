import { expect, it } from '@jest/globals';
import { fromStore } from './from-store.ts';
import { StoreUnavailable } from './unavailable.ts';

it('a store that is unavailable is a 503 with what cannot be read, and any other error is itself', async () => {
  const cause = new StoreUnavailable('SQLite', 'disk I/O error at /var/lib');
  await expect(fromStore(Promise.reject(cause), 'Usage cannot be read.')).rejects.toMatchObject({
    ...{ statusCode: 503, code: 'store_unavailable', message: 'Usage cannot be read.', cause },
    headers: { 'retry-after': '2' },
  });
  const other = new TypeError('a mistake of ours');
  await expect(fromStore(Promise.reject(other), 'Usage cannot be read.')).rejects.toBe(other);
});
