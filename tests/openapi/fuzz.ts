/**
 * Requests from the OpenAPI document, right and wrong ones, and checks of their answers against the document.
 */
import { CHAIN, CONTRACTS, HOLDERS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { validatorOf, type Media } from './schemas.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** A request that is made up. */
export interface FuzzCase {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly body?: { readonly type: string; readonly text: string };
}

const { paths } = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')) as {
  paths: Paths;
};

const addresses = [...Object.values(TOKENS).map(({ address }) => address), ...Object.values(CONTRACTS)];
const wallets = [
  ...Object.values(HOLDERS),
  UNUSED_ADDRESS,
  'alice.eth',
  'bob.eth',
  'treasury.eth',
  'unregistered.eth',
  'offchain.eth',
];
const height = fc
  .oneof(
    fc.integer({ min: CHAIN.genesis - 3, max: CHAIN.genesis + 3 }),
    fc.integer({ min: CHAIN.story - 3, max: CHAIN.head + 3 }),
  )
  .map(String);
const date = fc
  .oneof(
    fc.integer({ min: CHAIN.genesisTime - 100, max: CHAIN.storyTime }),
    fc.integer({ min: CHAIN.storyTime - 100, max: CHAIN.headTime + 3_600 }),
  )
  .map((seconds) => new Date(seconds * 1000).toISOString());

/** Values that mean something, by the parameter's name. */
const SENSIBLE: Readonly<Record<string, fc.Arbitrary<string>>> = {
  network: fc.constant('eth-mainnet'),
  token_address: fc.oneof(
    fc.constantFrom(...Object.values(TOKENS).map(({ address }) => address)),
    fc.constantFrom(...Object.values(CONTRACTS), UNUSED_ADDRESS, 'native'),
  ),
  target: fc.constantFrom(...addresses),
  holder: fc.constantFrom(...wallets),
  owner: fc.constantFrom(...wallets),
  spender: fc.constantFrom(...wallets),
  block_height: height,
  date,
  block_hash: fc.constantFrom(CHAIN.headHash, `0x${'1'.repeat(64)}`),
  from: fc.oneof(height, date),
  to: fc.oneof(height, date),
  step: fc.constantFrom('1h', '6h', '1d', '1w', '1M', '1', '10', '100'),
  points: fc.integer({ min: 2, max: 40 }).map(String),
  limit: fc.integer({ min: 1, max: 20 }).map(String),
  token_id: fc.constantFrom('0', '1', '2', '100', '8000', '424242', String(2n ** 256n - 1n)),
};
const HOSTILE = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 20 }),
  fc.integer().map(String),
  fc.double().map(String),
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-0',
    '1e9',
    '0x',
    '0x0',
    'null',
    'NaN',
    '%00',
    '../..',
    'latest',
    '__proto__',
    'a.b',
    `${'x'.repeat(300)}.eth`,
    `0x${'f'.repeat(40)}`,
    `0x${'F'.repeat(64)}`,
    '9'.repeat(80),
    '2023-13-45',
    '0001-01-01',
    '9999-12-31T23:59:59.999Z',
  ),
);

function valueOf(name: string): fc.Arbitrary<string> {
  const sensible = SENSIBLE[name];
  return sensible ? fc.oneof({ weight: 9, arbitrary: sensible }, { weight: 1, arbitrary: HOSTILE }) : HOSTILE;
}

/** Names and values, most of them valid. */
function queryOf(parameters: readonly Parameter[]): fc.Arbitrary<readonly (readonly [string, string])[]> {
  const given = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, required }) =>
      fc.tuple(
        fc.integer({ min: 1, max: 100 }).map((die) => die <= (required ? 97 : 12)),
        fc.tuple(fc.constant(name), valueOf(name)),
      ),
    );
  const extra = fc.array(fc.tuple(fc.string({ minLength: 1, maxLength: 12 }), HOSTILE), { maxLength: 1 });
  const seldom = fc.oneof({ weight: 19, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: extra });
  return fc
    .tuple(fc.tuple(...given), seldom)
    .map(([own, more]) => [...own.filter(([isGiven]) => isGiven).map(([, pair]) => pair), ...more]);
}

const SIGNATURES = [
  'balanceOf(address) returns (uint256)',
  'name() returns (string)',
  'symbol() view returns (bytes32)',
  'ownerOf(uint256 id) returns (address owner)',
  'transfer(address,uint256) returns (bool)',
  'balanceOfBatch(address[],uint256[]) returns (uint256[])',
  'requireResolver(bytes) returns ((bytes,uint256,bytes32,address,bool))',
  'totalSupply() returns (uint256[][], (string a, bytes b)[])',
];
const signature = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...SIGNATURES) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...SIGNATURES),
        fc.nat({ max: 80 }),
        fc.constantFrom('', '(', ')', '[', ']', ',', 'uint', ' ', '[9]', '\u0000'),
      )
      .map(([text, at, put]) => text.slice(0, at) + put + text.slice(at + 1)),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 60 }) },
);
const argument = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...wallets, '1', '100', 0, 7) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);
const args = fc.oneof(
  { weight: 9, arbitrary: fc.array(fc.array(argument, { maxLength: 2 }), { minLength: 1, maxLength: 5 }) },
  { weight: 1, arbitrary: fc.jsonValue() },
);
/** Calls that mean something. */
const CALLS = fc.oneof(
  fc.record({
    target: SENSIBLE.target!,
    function: fc.constant('balanceOf(address) returns (uint256)'),
    args: fc.array(fc.tuple(fc.constantFrom(...Object.values(HOLDERS))), { minLength: 1, maxLength: 30 }),
    block_height: height,
  }),
  fc.record({
    target: SENSIBLE.target!,
    function: fc.constantFrom(
      'name() returns (string)',
      'symbol() returns (bytes32)',
      'decimals() returns (int8)',
      'f() returns (bytes[], (string,bool)[2])',
    ),
    args: fc.constant([[]]),
  }),
  fc.record({
    target: SENSIBLE.target!,
    function: fc.constant('ownerOf(uint id) returns (address)'),
    args: fc.array(fc.tuple(SENSIBLE.token_id!), { minLength: 1, maxLength: 10 }),
    block_height: height,
  }),
);
/** Bodies that mean something, by `operationId`; others are made from the document's example. */
const BODIES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  callView: fc.oneof(
    CALLS,
    fc.record(
      {
        target: valueOf('target'),
        function: signature,
        args,
        block_height: fc.oneof(valueOf('block_height'), height.map(Number)),
        date,
      },
      { requiredKeys: ['target', 'function', 'args'] },
    ),
  ),
  getCallSeries: fc.record(
    {
      target: valueOf('target'),
      function: signature,
      args: fc.array(argument, { maxLength: 2 }),
      from: fc.oneof(valueOf('from'), height.map(Number)),
      to: fc.oneof(valueOf('to'), height.map(Number)),
      step: fc.oneof(valueOf('step'), fc.nat(200)),
      points: fc.oneof(valueOf('points'), fc.nat(20)),
    },
    { requiredKeys: ['target', 'function', 'from'] },
  ),
};

/** The example with some of its values replaced. */
function mutated(example: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(example)) {
    return fc.array(fc.oneof(...(example.length > 0 ? example : [null]).map(mutated)), { maxLength: 5 });
  }
  if (typeof example === 'object' && example !== null) {
    const fields = Object.entries(example).map(([name, value]): [string, fc.Arbitrary<unknown>] => [
      name,
      SENSIBLE[name] ? valueOf(name) : mutated(value),
    ]);
    return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
  }
  return fc.oneof(
    { weight: 9, arbitrary: fc.constant(example) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  );
}

function bodyOf({ operationId, requestBody }: Operation): fc.Arbitrary<FuzzCase['body']> {
  const [media] = Object.entries(requestBody?.content ?? {});
  if (media === undefined) return fc.constant(undefined);
  const [type, { example }] = media;
  if (typeof example === 'string') {
    return fc
      .array(fc.oneof(fc.constantFrom(...wallets), HOSTILE), { maxLength: 8 })
      .map((lines) => ({ type, text: lines.join('\n') }));
  }
  const json = (BODIES[operationId] ?? mutated(example)).map((value) => JSON.stringify(value) ?? 'null');
  return fc
    .oneof({ weight: 19, arbitrary: json }, { weight: 1, arbitrary: HOSTILE })
    .map((text) => ({ type, text }));
}

/** Requests of the routes that a service has. @param served `METHOD /v1/{network}/path` of each */
export function fuzzCases(served: ReadonlySet<string>, count: number, seed: number): readonly FuzzCase[] {
  const operations = Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods)
      .map(([method, operation]) => ({ method: method.toUpperCase(), template, operation }))
      .filter(({ method }) => served.has(`${method} ${template}`)),
  );
  const one = fc.constantFrom(...operations).chain(({ method, template, operation }) =>
    fc.tuple(queryOf(operation.parameters ?? []), bodyOf(operation)).map(([query, body]): FuzzCase => {
      const text = new URLSearchParams(
        query.map(([name, value]): [string, string] => [name, value]),
      ).toString();
      const path = template.replace('{network}', 'eth-mainnet') + (text === '' ? '' : `?${text}`);
      return { operation, method, path, ...(body ? { body } : {}) };
    }),
  );
  return fc.sample(one, { numRuns: count, seed });
}

const ANSWER_WITHIN_MS = 60_000;
const validators = new WeakMap<Media, ValidateFunction>();

/** Outcome of a request. */
interface Outcome {
  readonly status: number;
  /** The answer's fault; undefined if it has none. */
  readonly fault: string | undefined;
}

/** Sends a request and compares the answer with the document. */
export async function tryCase(service: string, asked: FuzzCase): Promise<Outcome> {
  const { method, path, body, operation } = asked;
  const response = await fetch(service + path, {
    method,
    ...(body ? { body: body.text, headers: { 'content-type': body.type } } : {}),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  return { status: response.status, fault: faultIn(operation, response, await response.text()) };
}

function faultIn({ responses }: Operation, { status, headers }: Response, text: string): string | undefined {
  const described = responses[status];
  if (status === 500 || described === undefined) return `${status}: ${text}`;
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  const media = described.content?.[type];
  if (media === undefined) return `${status} of type ${type} is not in the document`;
  if (type !== 'application/json') return undefined;
  const validate = validators.get(media) ?? validatorOf(media);
  validators.set(media, validate);
  if (validate(JSON.parse(text))) return undefined;
  return `${status} does not match its schema: ${JSON.stringify(validate.errors)} ${text}`;
}
