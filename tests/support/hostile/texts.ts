/**
 * Texts that cost most where a parser is careless: long runs of a grammar's repetitions, and causes of
 * backtracking.
 */

/** A text of any length. */
export interface Text {
  readonly name: string;
  make(length: number): string;
}

/** The unit again and again, whole units only, between two ends. */
function run(unit: string, [first, last] = ['', '']): Text {
  const name = JSON.stringify(`${first}${unit.repeat(2)}…${last}`);
  return {
    name,
    make: (length) => first + unit.repeat((length - first.length - last.length) / unit.length) + last,
  };
}

const ENDS: [string, string] = ['a', 'b'];

/** For values of headers. */
export const HEADER_TEXTS: readonly Text[] = [
  ...['a', '0', '-', '.', '%', '"', '=', ';', ':', '\\', '(', '\xe9'].map((unit) => run(unit)),
  ...['\t', ' ', ' ,', ', ', ';', '; '].map((unit) => run(unit, ENDS)),
  ...[',', 'a,', 'a, ', '"a",', 'W/"a",', `"a.${'b'.repeat(43)}",`].map((unit) => run(unit)),
  ...['gzip,', 'a;q=0.1,', '*;q=0.1,', 'br;q=1;q=1,', 'a;b="c",', 'a/b;q=0.1,'].map((unit) => run(unit)),
  ...['a=%;', 'a=b;', 'a=b; ', '=;', 'hindsight-session=a;', 'hindsight-theme=dark;'].map((unit) =>
    run(unit),
  ),
  ...['1.1.1.1,', '127.0.0.1,', '::1,', '[::1]:1,', 'for=1.1.1.1;'].map((unit) => run(unit)),
  ...['00-', 'text/html,', 'x-a,', 'Mozilla/5.0 (', 'Chrome/1 Safari/1 '].map((unit) => run(unit)),
];

/** For whole queries, and for forms: they have one grammar. */
export const QUERY_TEXTS: readonly Text[] = [
  ...['%&', '&', '=&', 'a&', 'a=1&', 'a=%&', '%=%&', '+&', '%41=1&', 'a[]=1&', 'a[b]=1&'].map((unit) =>
    run(unit),
  ),
  ...['projectId=a&', '%70rojectId=%&', 'holder=a&', '__proto__=1&', 'token=%&', 'email=%&'].map((unit) =>
    run(unit),
  ),
  ...['%', '%4', '%41', '+', 'a', '=', '?', ';', '%F0%9F%98%80', '%FF'].map((unit) => run(unit)),
  // As many parameters as are allowed, of the greatest length.
  { name: '99 × "x…=%…&"', make: (length) => `x${'%'.repeat(length / 99 - 3)}&`.repeat(99) },
  {
    name: '99 × "block_heigh…"',
    make: (length) => `${'block_heigh'.repeat(length / 99 / 11 - 1)}=&`.repeat(99),
  },
];

/** For the value of one parameter or field, percent-encoded. */
export const VALUE_TEXTS: readonly Text[] = [
  ...[
    'a',
    '0',
    '9',
    'f',
    '.',
    '-',
    '_',
    '+',
    ':',
    ',',
    'T',
    '@',
    '/',
    '%20',
    '%09',
    '%0A',
    '%00',
    '%',
    '%41',
  ].map((unit) => run(unit)),
  ...['a.', 'a-', 'xn--a.', 'a@', '%F0%9F%98%80', '%CC%81', 'a%CC%81', '%C3%9F', '%E2%80%8D'].map((unit) =>
    run(unit),
  ),
  ...['a.', 'A.', '%F0%9F%98%80', '%CC%81', '%F0%9F%91%A8%E2%80%8D'].map((unit) => run(unit, ['a', '.eth'])),
  ...['0', 'f', 'aF'].map((unit) => run(unit, ['0x', ''])),
  run('0', ['2023-08-26T00:00:00.', 'Z']),
  run('0', ['2023-08-26T00:00:00+', '']),
  run('a', ['a@', '.example']),
  run('a.', ['a@', 'example']),
  run('%20', ['a', 'b']),
  run('%0A', ['127.0.0.1 wants you to sign in with your Ethereum account:%0A', '']),
  run('%0AResources:%0A- a:b', ['127.0.0.1 wants you to sign in with your Ethereum account:%0A', '']),
];

/** For whole paths. */
export const PATH_TEXTS: readonly Text[] = [
  ...[
    '/',
    '/a',
    '/.',
    '/..',
    '/%2F',
    '/%',
    '/%41',
    '%',
    '%41',
    'a',
    ';',
    ':',
    '*',
    '\\',
    '%00',
    '%F0%9F%98%80',
  ].map((unit) => run(unit, ['/', ''])),
  ...['a', '%41', '%', '/', '..'].flatMap((unit) => [
    run(unit, ['/v1/', '']),
    run(unit, ['/v1/eth-mainnet/', '']),
    run(unit, ['/v1/', '/balance/native']),
    run(unit, ['/assets/', '']),
    run(unit, ['/docs/', '']),
    run(unit, ['/reference/', '']),
    run(unit, ['/dashboard/projects/', '']),
    run(unit, ['/account/link/', '']),
  ]),
  run('a', ['http://', '/v1/eth-mainnet/token']),
  run('a.', ['http://', '/v1/eth-mainnet/token']),
];

/** For bodies of JSON. */
export const JSON_TEXTS: readonly Text[] = [
  ...[
    '[',
    '{"a":',
    '{"',
    '"',
    '"\\u0000',
    '1',
    '-',
    '1e',
    '0',
    ' ',
    '\n',
    'a',
    '\\',
    '\xef\xbb\xbf',
    '\xff',
  ].map((unit) => run(unit)),
  ...['0,', '[],', '{},', '"",', '1e9,'].map((unit) => run(unit, ['[', '0]'])),
  ...['"a":1,', '"":{},', '"__proto__":1,', '"constructor":{},', '"chainId":1,'].map((unit) =>
    run(unit, ['{', '"b":1}']),
  ),
  { name: 'distinct names', make: (length) => `{${distinctNames(length)}"z":1}` },
  { name: 'nested arrays', make: (length) => '['.repeat(length / 2) + ']'.repeat(length / 2) },
  {
    name: 'nested __proto__',
    make: (length) => '{"__proto__":'.repeat(length / 14) + '1' + '}'.repeat(length / 14),
  },
];

function distinctNames(length: number): string {
  return Array.from({ length: length / 10 - 2 }, (_, i) => `"${i.toString(36).padStart(5, 'a')}":1,`).join(
    '',
  );
}

/** For the value of one field of JSON, with its quotes where it has any. */
export const JSON_VALUE_TEXTS: readonly Text[] = [
  ...['a', '0', '9', ' ', '-', '.', ':', 'T', '\\u0000', '\\n', '\\"', '\\ud83d\\ude00', '\xc3\xa9'].map(
    (unit) => run(unit, ['"', '"']),
  ),
  ...['0', 'f', 'aF'].map((unit) => run(unit, ['"0x', '"'])),
  run('0', ['"2023-08-26T00:00:00.', 'Z"']),
  run('9', ['1', '']),
  run('9', ['0.', '']),
  run('9', ['1e', '']),
  run('0,', ['[', '0]']),
];
