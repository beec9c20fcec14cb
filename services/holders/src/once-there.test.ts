import { expect, it, jest } from '@jest/globals';
import { onceThere } from './once-there.ts';

it('a start that fails says for which server it has waited', async () => {
  const now = jest.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValue(30_000);
  const waiting = onceThere(() => Promise.reject(new Error('Timeout error.')));
  await expect(waiting).rejects.toThrow('ClickHouse is not available: Timeout error.');
  now.mockRestore();
});
