import { describe, expect, it } from '@jest/globals';
import { parseWith } from '@hindsight/http/validation.ts';
import { orderBody } from './order-body.ts';

const BODY = {
  orderHash: `0x${'AB'.repeat(32)}`,
  createdAt: 1_767_225_600,
  signature: '0xABCD',
  orderStatus: 'open',
  encodedOrder: '0xEF01',
  chainId: 1,
};
const parse = (fields: object) => orderBody.safeParse({ ...BODY, ...fields });
const faultOf = (fields: object): string | undefined => {
  const issue = parse(fields).error?.issues[0];
  return issue && `${issue.path.join('.')}: ${issue.message}`;
};

describe('the body', () => {
  it('that is empty is no body, and any other than an object is not as expected', () => {
    expect([null, [], 1].map((body) => parseWith(orderBody, body))).toMatchObject([
      { error: { code: 'invalid_body', message: 'body: it is empty; expected a JSON object' } },
      { error: { code: 'invalid_parameter', message: 'body: expected a JSON object' } },
      { error: { code: 'invalid_parameter', message: 'body: expected a JSON object' } },
    ]);
  });

  it('has its hexadecimal values lower-cased, and unknown fields removed', () => {
    expect(parse({ notifiedAt: 1, type: null }).data).toEqual({
      ...BODY,
      orderHash: `0x${'ab'.repeat(32)}`,
      createdAt: '2026-01-01T00:00:00.000Z',
      signature: '0xabcd',
      encodedOrder: '0xef01',
    });
  });

  it.each([
    [1_767_225_600, '2026-01-01T00:00:00.000Z'],
    [1_767_225_600_412, '2026-01-01T00:00:00.412Z'],
    ['1767225600', '2026-01-01T00:00:00.000Z'],
    ['1767225600412', '2026-01-01T00:00:00.412Z'],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T01:00:00.5+01:00', '2026-01-01T00:00:00.500Z'],
  ])('takes createdAt %j', (createdAt, expected) => {
    expect(parse({ createdAt }).data?.createdAt).toBe(expected);
  });

  it.each([
    0,
    -1,
    1.00005,
    1e16,
    NaN,
    '',
    'yesterday',
    '2026-01-01',
    '2026-01-01T00:00:00',
    {},
    [],
    true,
    null,
  ])('rejects createdAt %j', (createdAt) => {
    expect(faultOf({ createdAt })).toBe(
      'createdAt: expected a time: ISO 8601 with a zone, or unix seconds or milliseconds',
    );
  });

  it.each([1, 1_438_214_399, '1970-01-02T00:00:00Z', 4_102_444_800, '9999-12-31T23:59:59Z'])(
    'rejects createdAt %j, a time at which no order can have been posted',
    (createdAt) => {
      expect(faultOf({ createdAt })).toBe('createdAt: expected a time from 2015-07-30 to 2099-12-31');
    },
  );

  it('accepts an encoded order of 8,192 hexadecimal digits and none longer', () => {
    expect(faultOf({ encodedOrder: `0x${'00'.repeat(4_096)}` })).toBeUndefined();
    expect(faultOf({ encodedOrder: `0x${'00'.repeat(4_097)}` })).toBe(
      'encodedOrder: expected at most 8192 hexadecimal digits',
    );
  });

  it.each([
    [{ orderHash: '0x12' }, 'orderHash: expected a hash: 0x and 64 hexadecimal digits'],
    [{ signature: '0x' }, 'signature: expected 0x and an even number of hexadecimal digits, at least two'],
    [{ signature: '0x123' }, 'signature: expected 0x and an even number of hexadecimal digits, at least two'],
    [{ orderStatus: 'filled' }, 'orderStatus: expected "open"'],
    [{ chainId: '1' }, 'chainId: expected a number'],
    [{ chainId: 1.5 }, 'chainId: expected a whole number'],
    [{ filler: '0x12' }, 'filler: expected an address: 0x and 40 hexadecimal digits'],
    [
      { offerer: `${`0x${'12'.repeat(20)}`}\n` },
      'offerer: expected an address: 0x and 40 hexadecimal digits',
    ],
    [{ quoteId: 'a\u0000' }, 'quoteId: expected text without control characters'],
    [{ quoteId: '\ud800' }, 'quoteId: expected text without control characters'],
    [{ quoteId: 'a'.repeat(257) }, 'quoteId: expected at most 256 characters'],
    [{ type: ['Dutch'] }, /^type: /],
  ])('is refused with a message that names the fault: %j', (fields, message) => {
    expect(faultOf(fields)).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });
});
