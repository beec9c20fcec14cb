/** The codes of errors: documented, used, and explained where an error's `docs` leads. */
import { describe, expect, it } from '@jest/globals';
import { ERROR_CASES, ERROR_CODES } from '@hindsight/kernel/error-codes.ts';
import { fillErrors } from '@hindsight/tools/docs/errors.ts';
import { read, TREE } from './pages.ts';

const PAGE = read('docs/guides/errors.md');
const TABLE = 'shared/kernel/src/error-codes.ts';

const sources = TREE.filter((path) => /^(?:services|shared)\/.*(?<!\.test)\.ts$/.test(path) && path !== TABLE)
  .map(read)
  .join('\n');

describe('the codes of errors', () => {
  it('are listed as `npm run build:errors` lists them', () => {
    expect(PAGE).toBe(fillErrors(PAGE));
  });

  it('are in snake case, with a meaning in full sentences', () => {
    for (const code of ERROR_CODES) {
      expect(code).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
      expect(ERROR_CASES[code].meaning).toMatch(/^[A-Z`].*\.$/);
    }
  });

  it('are all in use', () => {
    expect(ERROR_CODES.filter((code) => !sources.includes(`'${code}'`))).toEqual([]);
  });

  it('are counted as the gateway counts their status', () => {
    const counted = ERROR_CODES.map((code) => ERROR_CASES[code]).filter((error) => error.counted);
    for (const { status } of counted) expect(status < 500 && ![401, 403, 429].includes(status)).toBe(true);
  });

  it('belong to the only way in which errors are made: none is made by its status', () => {
    expect(sources).not.toMatch(/new ApiError\(\s*\d|errorBody\(\s*\d/);
  });
});
