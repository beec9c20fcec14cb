import { expect } from '@jest/globals';
import { ERROR_CODES, type ErrorCode } from '../../src/error-codes.ts';

/** Fields of an error answer's body for programs; without a code, any code of the table. */
export function forMachines(code?: ErrorCode): Readonly<Record<'code' | 'request_id' | 'docs', unknown>> {
  const anyOf = ERROR_CODES.join('|');
  return {
    code: code ?? expect.stringMatching(new RegExp(`^(?:${anyOf})$`)),
    request_id: expect.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/),
    docs: code === undefined ? expect.stringMatching(/^\/docs\/errors#[a-z_]+$/) : `/docs/errors#${code}`,
  };
}
