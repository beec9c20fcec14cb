/** Hostile bodies of operations that take one: by hand, since what is dear depends on what reads it. */
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';

/** A body, and the rows that it is charged for. */
export interface Body {
  readonly text: string;
  readonly type: string;
  readonly rows: number;
  readonly make: () => string;
}

/** An operation with a body. */
export interface BodyTable {
  /** The query that its requests have. */
  readonly query: string;
  /** Rows that one unit pays for. */
  readonly rowsOfAUnit?: number;
  /** A body that is answered: others of as many rows may cost no more than three times as much. */
  good(type: string, rows: number): string;
  readonly hostile: readonly Body[];
}

const MIB = 1024 * 1024;
const ROW = 4_000;
const UNIT = 100;
const USDC = TOKENS.usdc.address;
const { alice } = HOLDERS;
const HEIGHT = 18_000_000;
const JSON_TYPE = 'application/json';

const holder = (i: number): string => `0x${i.toString(16).padStart(40, '5')}`;
const many = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i));
const fill = (unit: string, length: number): string => unit.repeat(length / unit.length);

function json(text: string, rows: number, make: () => string): Body {
  return { text, type: JSON_TYPE, rows, make };
}

/** Text that is no list of rows: it is refused, for one unit. */
const NO_ROWS: readonly Body[] = [
  json('1 MiB of [', 1, () => '['.repeat(MIB)),
  json('1 MiB of {"a":', 1, () => fill('{"a":', MIB)),
  json('1 MiB of blanks', 1, () => `[${' '.repeat(MIB - 2)}]`),
  json('1 MiB of one string', 1, () => `["${'a'.repeat(MIB - 4)}"]`),
  json('1 MiB of escapes', 1, () => `["${fill('\\u0000', MIB - 8)}"]`),
  json('20,000 lists in each other', 1, () => '['.repeat(20_000) + ']'.repeat(20_000)),
  json('350,000 empty lists', 1, () => `[${fill('[],', MIB - 10)}[]]`),
  json('40,000 names', 1, () => `{${many(39_000, (i) => `"${i.toString(36)}":0`).join(',')}}`),
  json('19,000 objects in each other', 1, () => '{"a":'.repeat(19_000) + '0' + '}'.repeat(19_000)),
];

const batchRow = (row: object): object => ({ token_address: USDC, holder: alice, ...row });
const batch = (text: string, of: (i: number) => unknown, rows = UNIT): Body =>
  json(text, rows, () => JSON.stringify(many(rows, of)));

const BATCH: BodyTable = {
  query: '',
  good: (_type, rows) =>
    JSON.stringify(many(rows, (i) => batchRow({ holder: holder(i), block_height: HEIGHT - i }))),
  hostile: [
    ...NO_ROWS,
    batch('empty rows', () => ({})),
    batch('lists for rows', () => []),
    batch('long holders', () => batchRow({ holder: 'a.'.repeat(ROW) })),
    batch('long tokens', () => ({ token_address: `0x${'f'.repeat(2 * ROW)}`, holder: alice })),
    batch('long dates', () => batchRow({ date: `2023-08-26T00:00:00.${'0'.repeat(2 * ROW)}Z` })),
    batch('rows with 300 unknown names', () =>
      Object.fromEntries(many(300, (i) => [`n${i.toString(36)}`, 0])),
    ),
    batch('nested holders', () => ({
      token_address: USDC,
      holder: JSON.parse('['.repeat(80) + ']'.repeat(80)),
    })),
    batch('heights that the chain has not', (i) => batchRow({ block_height: 99_000_000 + i })),
    batch('heights below the dev chain', (i) => batchRow({ block_height: 16_000_000 + i })),
    batch('a date each', (i) => batchRow({ date: new Date((1_693_066_000 + i) * 1_000).toISOString() })),
    batch('wrong checksums', () => batchRow({ holder: alice.replace('Ef', 'eF') })),
    batch('1,000 empty rows', () => ({}), 1_000),
  ],
};

/** Rows of several networks: those of the batch, and what their field `network` may be. */
const NETWORKS_BATCH: BodyTable = {
  query: '',
  good: (_type, rows) =>
    JSON.stringify(
      many(rows, (i) => batchRow({ network: 'eth-mainnet', holder: holder(i), block_height: HEIGHT - i })),
    ),
  hostile: [
    ...BATCH.hostile,
    batch('long networks', () => batchRow({ network: 'a'.repeat(2 * ROW) })),
    batch('a network each that is not served', (i) => batchRow({ network: `net-${i}` })),
    batch('lists for networks', () => batchRow({ network: ['eth-mainnet'] })),
    batch('names of every object', (i) => batchRow({ network: i % 2 === 0 ? '__proto__' : 'constructor' })),
    batch('a height each that the chain has not', (i) =>
      batchRow({ network: 'eth-mainnet', block_height: 99_000_000 + i }),
    ),
  ],
};

const LINE_TYPES = ['text/plain', 'text/csv', 'application/x-ndjson'] as const;
const lines = (text: string, of: (i: number) => string, rows = UNIT, end = '\n'): Body[] =>
  LINE_TYPES.map((type) => ({
    type,
    text,
    rows,
    make: () => `${many(rows, of).join(end)}${end}`,
  }));

const BALANCES = `token_address=${USDC}&block_height=${HEIGHT}`;
const SNAPSHOT: BodyTable = {
  query: BALANCES,
  good: (type, rows) =>
    `${many(rows, (i) => (type === 'application/x-ndjson' ? JSON.stringify(holder(i)) : holder(i))).join('\n')}\n`,
  hostile: [
    ...['a', '[', '{"a":', '"', '""', ',', ' ', '\t', '\\', '0', 'a.', '%', '\u00e9'].flatMap((unit) =>
      lines(`rows of 4 KB of ${JSON.stringify(unit)}`, () => fill(unit, ROW)),
    ),
    ...lines('rows of 350 names', () => `{${many(350, (i) => `"n${i.toString(36)}":0`).join(',')}}`),
    ...lines('rows of escapes', () => `"${fill('\\u0000', ROW - 10)}"`),
    ...lines('names that do not exist', (i) => `unregistered-${i}.eth`),
    ...lines('wrong checksums', () => alice.replace('Ef', 'eF')),
    ...lines('a row and 500,000 blank lines', (i) => (i === 0 ? alice : ''), 1).map((body) => ({
      ...body,
      make: () => `${alice}\n${'\n'.repeat(500_000)}`,
    })),
    ...lines('a row and 250,000 blank lines of CRLF', () => alice, 1).map((body) => ({
      ...body,
      make: () => `${alice}\n${'\r\n'.repeat(250_000)}`,
    })),
    ...lines('a row and 1 MiB of blanks', () => alice, 1).map((body) => ({
      ...body,
      make: () => `${alice}\n${`${' '.repeat(63)}\n`.repeat(MIB / 64)}`,
    })),
    ...lines('one line of 1 MiB', () => 'a'.repeat(MIB), 1),
    ...lines('nothing', () => '', 1),
  ],
};

/** The same with proofs, of which few are read: a row is refused before it is proven. */
const PROVEN_SNAPSHOT: BodyTable = {
  query: `${BALANCES}&proof=storage`,
  rowsOfAUnit: 10,
  good: (type, rows) => SNAPSHOT.good(type, rows),
  hostile: [
    ...lines('the same holder each time', () => alice),
    ...lines('names that do not exist', (i) => `unregistered-${i}.eth`),
    ...lines('wrong checksums', () => alice.replace('Ef', 'eF')),
    ...lines('rows of 4 KB', () => fill('a', ROW)),
  ],
};

const callOf = (signature: string, args: string): string =>
  `{"target":"${USDC}","block_height":${HEIGHT},"function":${JSON.stringify(signature)},"args":${args}}`;
const call = (text: string, signature: string, args: () => string, rows = 1): Body =>
  json(text, rows, () => callOf(signature, args()));
const row =
  (of: () => string): (() => string) =>
  () =>
    `[[${of()}]]`;
const list = (element: string, count: number): string => `[${`${element},`.repeat(count - 1)}${element}]`;
const VALUES = 39_000;

const CALL: BodyTable = {
  query: '',
  // As much as fits into the rows of a unit: 4,096 bytes of arguments each.
  good: (_type, rows) =>
    callOf(
      'f(bytes) returns (uint256)',
      JSON.stringify(many(Math.min(rows, UNIT), () => [`0x${'ab'.repeat(3_900)}`])),
    ),
  hostile: [
    ...NO_ROWS,
    call(
      'string[][][][]',
      'f(string[][][][])',
      row(() => `[[${list('[""]', VALUES / 3)}]]`),
    ),
    call(
      'uint256[][] of []',
      'f(uint256[][])',
      row(() => list('[]', VALUES / 2)),
    ),
    call(
      'uint256[]',
      'f(uint256[])',
      row(() => list('0', VALUES)),
    ),
    call(
      'string[] of ""',
      'f(string[])',
      row(() => list('""', VALUES)),
    ),
    call(
      'address[] with checksums',
      'f(address[])',
      row(() => list(`"${alice}"`, 22_000)),
    ),
    call(
      'bool[]',
      'f(bool[])',
      row(() => list('true', VALUES)),
    ),
    call(
      'a number of 1 MB',
      'f(uint256)',
      row(() => `"${'9'.repeat(MIB - 300)}"`),
    ),
    call(
      'bytes of 1 MB',
      'f(bytes)',
      row(() => `"0x${'ab'.repeat(MIB / 2 - 300)}"`),
    ),
    call(
      'a string of 1 MB',
      'f(string)',
      row(() => `"${'a'.repeat(MIB - 300)}"`),
    ),
    call(
      'an object of 39,000 names for a tuple',
      'f((uint256 a))',
      () => `[[{${many(VALUES, (i) => `"${i.toString(36)}":0`).join(',')}}]]`,
    ),
    call('100 rows of 60 checksums', 'f(address[])', () => list(`[${list(`"${alice}"`, 60)}]`, UNIT), UNIT),
    call('100 rows of 125 numbers', 'f(uint256[125])', () => list(`[${list('0', 125)}]`, UNIT), UNIT),
    call('1,000 rows of 30 numbers', 'f(uint256[30])', () => list(`[${list('0', 30)}]`, 1_000), 1_000),
    call('1,000 rows without arguments', 'f(uint256)', () => list('[]', 1_000), 1_000),
    ...['(', 'tuple(', 'uint256,', '[', 'f(uint256[', ' ', 'returns (', '('].map((unit) =>
      call(`a signature of ${JSON.stringify(unit)}`, `f${fill(unit, 1_000)}`, () => '[[]]'),
    ),
    call('a signature of 1 MB', 'f('.repeat(MIB / 2 - 300), () => '[[]]'),
    call('dimensions', `f(uint256${'[1]'.repeat(300)})`, () => '[[0]]'),
    call(
      '64 arguments',
      `f(${list('string', 64).slice(1, -1)})`,
      row(() => list('""', 64).slice(1, -1)),
    ),
  ],
};

const booked = (text: string, of: (i: number) => object, rows = UNIT): Body =>
  json(text, rows, () => JSON.stringify({ token_address: USDC, holder: alice, rows: many(rows, of) }));

const RECONCILE: BodyTable = {
  query: '',
  good: (_type, rows) =>
    JSON.stringify({
      token_address: USDC,
      holder: alice,
      // The dev chain begins a hundred blocks before.
      rows: many(rows, (i) => ({ block_height: HEIGHT - (i % 100), balance: '0' })),
    }),
  hostile: [
    ...NO_ROWS,
    booked('empty rows', () => ({})),
    booked('long amounts', () => ({ block_height: HEIGHT, balance: '9'.repeat(2 * ROW) })),
    booked('long dates', () => ({ date: `2023-08-26T00:00:00.${'0'.repeat(2 * ROW)}Z`, balance: '0' })),
    booked('rows with 300 unknown names', () =>
      Object.fromEntries(many(300, (i) => [`n${i.toString(36)}`, 0])),
    ),
    booked('1,000 rows of one block', () => ({ block_height: HEIGHT, balance: '0' }), 1_000),
    json('a long holder', 1, () =>
      JSON.stringify({ token_address: USDC, holder: 'a.'.repeat(MIB / 2 - 200), rows: [] }),
    ),
  ],
};

const over = (text: string, change: object): Body =>
  json(text, 1, () => JSON.stringify({ ...OVER_TIME, ...change }));
const OVER_TIME = {
  ...{ target: USDC, function: 'balanceOf(address) returns (uint256)', args: [alice] },
  ...{ from: HEIGHT - 9, to: HEIGHT, step: 1 },
};
const KIB_64 = 64 * 1024;

const CALL_SERIES: BodyTable = {
  query: '',
  // Ten points a unit; the dev chain begins a hundred blocks before.
  good: () => JSON.stringify(OVER_TIME),
  hostile: [
    ...NO_ROWS,
    over('a long step', { step: '9'.repeat(KIB_64 - 300) }),
    over('a long date', { from: `2023-08-26T00:00:00.${'0'.repeat(KIB_64 - 300)}Z` }),
    over('an argument of 60 KB', { args: [`0x${'ab'.repeat(30_000)}`] }),
    over('20,000 arguments', { args: many(20_000, () => 0) }),
    over('a signature of 1,024 brackets', { function: `f${fill('(', 1_000)}` }),
    over('a billion points', { points: 1e9, step: undefined }),
    over('ten points that revert', {
      ...{ function: 'transfer(address,uint256) returns (bool)', args: [alice, '1'] },
      ...{ from: HEIGHT - 100, points: 10, step: undefined },
    }),
  ],
};

const SCORED = { network: '1', snapshot: HEIGHT };
const ticket = { name: 'ticket', params: {} };
const scored = (text: string, params: () => object, rows = UNIT): Body =>
  json(text, rows, () =>
    JSON.stringify({
      params: { ...SCORED, strategies: [ticket], addresses: many(rows, holder), ...params() },
    }),
  );
const called = (args: unknown, type = 'bytes'): object => ({
  strategies: [
    {
      name: 'contract-call',
      params: {
        address: USDC,
        methodABI: { name: 'f', inputs: [{ type }], outputs: [{ type: 'uint256' }] },
        args: [args],
      },
    },
  ],
});

const SCORES: BodyTable = {
  query: '',
  good: (_type, rows) =>
    JSON.stringify({
      params: {
        ...SCORED,
        strategies: [{ name: 'erc20-balance-of', params: { address: USDC, decimals: 6 } }],
        addresses: many(rows, holder),
      },
    }),
  hostile: [
    ...NO_ROWS,
    scored('a long strategy', () => ({ strategies: [{ name: 'a'.repeat(MIB / 2), params: {} }] })),
    scored('ten strategies of a unit', () => ({
      strategies: many(10, () => ticket),
      addresses: many(10, holder),
    })),
    scored('8,000 strategies', () => ({ strategies: many(8_000, () => ({})) })),
    scored('wrong checksums', () => ({ addresses: many(1_000, () => alice.replace('Ef', 'eF')) })),
    scored('20,000 addresses', () => ({ addresses: many(20_000, holder) })),
    scored('a whitelist of 15,000', () => ({
      strategies: [{ name: 'whitelist', params: { addresses: many(15_000, holder) } }],
    })),
    scored('names of every object', () => ({ strategies: [{ name: '__proto__', params: {} }] })),
    scored('long arguments', () => called(`0x${'ab'.repeat(MIB / 4)}`)),
    scored('many placeholders', () => called('%{address}'.repeat(50_000), 'string')),
    scored('checksums in arguments', () =>
      called(
        many(100, () => alice),
        'address[]',
      ),
    ),
    scored('a type of many dimensions', () => called('0', `uint256${'[1]'.repeat(20)}`)),
    scored('a huge value', () => ({ strategies: [{ name: 'ticket', params: { value: 1.7e308 } }] })),
    scored('many networks', () => ({
      strategies: [
        { name: 'multichain', params: { strategies: many(8_000, (i) => ({ ...ticket, network: i })) } },
      ],
    })),
  ],
};

/** By operationId. Orders have their own inputs, field by field. */
export const BODIES: Readonly<Record<string, readonly BodyTable[]>> = {
  getBalanceBatch: [BATCH],
  getNetworksBalanceBatch: [NETWORKS_BATCH],
  getBalanceSnapshot: [SNAPSHOT, PROVEN_SNAPSHOT],
  reconcileBalance: [RECONCILE],
  callView: [CALL],
  getCallSeries: [CALL_SERIES],
  getScores: [SCORES],
};

const message = (method: string, params: object = {}): object => ({ jsonrpc: '2.0', id: 1, method, params });

/** Bodies of `POST /mcp`. The small one is `tools/list`. */
export const MCP_BODIES: readonly Body[] = [
  ...NO_ROWS,
  json('tools/list', 1, () => JSON.stringify(message('tools/list'))),
  json('a batch of 100 tools/list', 1, () => JSON.stringify(many(100, () => message('tools/list')))),
  json('a batch of 40,000 pings', 1, () => `[${`${JSON.stringify(message('ping'))},`.repeat(15_000)}0]`),
  json('a long method', 1, () => JSON.stringify(message('a'.repeat(60_000)))),
  json('a long tool', 1, () => JSON.stringify(message('tools/call', { name: 'a'.repeat(60_000) }))),
  json('many arguments', 1, () =>
    JSON.stringify(
      message('tools/call', {
        name: 'balance',
        arguments: Object.fromEntries(many(5_000, (i) => [`n${i}`, 0])),
      }),
    ),
  ),
  json('nested arguments', 1, () =>
    JSON.stringify(message('tools/call', { name: 'balance', arguments: {} })).replace(
      '"arguments":{}',
      () => `"arguments":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
    ),
  ),
  json('resources/list', 1, () => JSON.stringify(message('resources/list'))),
  json('a path as the resource', 1, () =>
    JSON.stringify(message('resources/read', { uri: 'hindsight://guides/../../package.json' })),
  ),
  json('a long resource', 1, () =>
    JSON.stringify(message('resources/read', { uri: `hindsight://guides/${'a'.repeat(60_000)}` })),
  ),
  json('a long cursor', 1, () => JSON.stringify(message('tools/list', { cursor: 'a'.repeat(60_000) }))),
];
