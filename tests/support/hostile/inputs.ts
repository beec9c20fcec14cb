/** Every input of the public interface, filled with every hostile text up to its limit. */
import { HEADER_TEXTS, JSON_TEXTS, JSON_VALUE_TEXTS, PATH_TEXTS, QUERY_TEXTS } from './texts.ts';
import { makeOrder } from '../orders/signed-orders.ts';
import { ofOperations } from './operation-inputs.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import { formOf, ofPortal, type PortalPlace } from './portal-inputs.ts';
import { bytesOf, filled, HEAD, JSON_BODY, URL_LENGTH, type HostileInput, type Request } from './requests.ts';

const WEBHOOK = '/v1/eth-mainnet/orders/dex-webhook';
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
/** Finalized, so that the answer comes from memory: the measurement is of reading requests. */
const KEPT = `/v1/eth-mainnet/balance/single?token_address=${USDC}&holder=${USDC}&block_height=18000000`;

/** Headers that any part of the product reads, and those that Node and its libraries read. */
const HEADERS =
  `x-api-key x-request-id x-forwarded-for x-forwarded-host x-forwarded-proto x-hindsight-project traceparent tracestate
  connection keep-alive te upgrade transfer-encoding content-length content-type expect host origin referer user-agent
  cookie authorization accept accept-encoding accept-language if-none-match if-match if-modified-since cache-control
  range forwarded sec-fetch-site`.split(/\s+/);

function ofHead(server: 'gateway' | 'portal', page: string, queried: readonly string[]): HostileInput[] {
  const part = { server, isOrder: false, length: HEAD };
  const ofUrl = { ...part, length: URL_LENGTH };
  return [
    ...filled({ ...ofUrl, input: 'path', texts: PATH_TEXTS, request: (target) => ({ target }) }),
    ...queried.flatMap((path) =>
      filled({
        ...ofUrl,
        input: `query of ${path}`,
        texts: QUERY_TEXTS,
        request: (query) => ({ target: `${path}?${query}` }),
      }),
    ),
    ...HEADERS.flatMap((name) =>
      filled({
        ...part,
        input: `header ${name}`,
        texts: HEADER_TEXTS,
        request: (value) => ({ target: page, lines: [`${name}: ${value}`] }),
      }),
    ),
    ...['a', 'cookie', 'x-api-key', 'accept-encoding', 'x-forwarded-for', 'if-none-match', 'connection'].map(
      (name): HostileInput => ({
        ...part,
        input: 'many header lines',
        text: name,
        bytes: (sender) => {
          const line = `${name}: a`;
          const lines = Array.from({ length: HEAD / (line.length + 2) }, () => line);
          return bytesOf(sender, { target: page, lines });
        },
      }),
    ),
    {
      ...part,
      input: 'many header lines',
      text: 'distinct, and as many named by connection',
      bytes: (sender) => {
        const names = Array.from({ length: 1_500 }, (_, i) => `q${i.toString(36)}`);
        const connection = `connection: ${'a,'.repeat(1_500)}`;
        return bytesOf(sender, { target: page, lines: [connection, ...names.map((name) => `${name}:`)] });
      },
    },
  ];
}

function webhook(body: string): Request {
  return { method: 'POST', target: WEBHOOK, lines: ['content-type: application/json'], body };
}

const LATER = 4_000_000_000_000n;
let orders = 0n;

function newOrder(): Record<string, unknown> {
  orders += 1n;
  return JSON.parse(makeOrder(LATER + orders).body) as Record<string, unknown>;
}

function ofOrders(): HostileInput[] {
  const of = ['submitOrder', 'application/json'] as const;
  const part = { server: 'gateway', isOrder: true, of } as const;
  const order = newOrder();
  const encoded = String(order.encodedOrder).slice(2);
  const words: readonly string[] = encoded.match(/.{64}/g) ?? [];
  const withEncoded = (encodedOrder: string): string => JSON.stringify({ ...order, encodedOrder });
  const one = (text: string, bytes: HostileInput['bytes']): HostileInput => ({
    ...part,
    input: 'encodedOrder',
    text,
    bytes,
  });
  return [
    ...filled({ ...part, input: 'body', length: JSON_BODY, texts: JSON_TEXTS, request: webhook }),
    ...filled({
      ...part,
      input: 'content-type of the webhook',
      length: HEAD,
      texts: HEADER_TEXTS,
      request: (value) => ({ ...webhook('{}'), lines: [`content-type: application/json;${value}`] }),
    }),
    ...[...Object.keys(order), 'unknown'].flatMap((name) =>
      filled({
        ...part,
        input: `field ${name}`,
        length: JSON_BODY - 3_000,
        texts: JSON_VALUE_TEXTS,
        request: (value) => webhook(JSON.stringify({ ...order, [name]: '…' }).replace('"…"', () => value)),
      }),
    ),
    ...['0', 'f', `${'0'.repeat(62)}20`, `${'0'.repeat(60)}0100`].map((unit) =>
      one(`0x${unit.slice(-4)}…`, (sender) =>
        bytesOf(sender, webhook(withEncoded(`0x${unit.repeat(8_192 / unit.length)}`))),
      ),
    ),
    // Each word in turn as an offset or a length that leads elsewhere.
    ...words.flatMap((_, at) =>
      ['20', 'ff', 'ffffffff'].map((value) =>
        one(`word ${at} is ${value}`, (sender) => {
          const changed = words.with(at, value.padStart(64, '0')).join('');
          return bytesOf(sender, webhook(withEncoded(`0x${changed}`)));
        }),
      ),
    ),
    one('signed, a new one each time', (sender) => bytesOf(sender, webhook(JSON.stringify(newOrder())))),
    one('signed by another key', (sender) =>
      bytesOf(sender, webhook(JSON.stringify({ ...newOrder(), signature: order.signature }))),
    ),
  ];
}

/** All of them. */
export function hostileInputs(
  portal: PortalPlace,
  operations: readonly Operation[] = OPERATIONS,
): HostileInput[] {
  return [
    ...ofHead('gateway', KEPT, ['/nowhere', '/api']),
    ...ofOperations(operations),
    ...ofOrders(),
    ...ofHead('portal', '/demo', ['/sign-in', '/demo']),
    ...ofPortal(portal),
  ];
}

/** Inputs of operations that have no hostile texts: `getThing limit`. */
export function inputsWithout(operations: readonly Operation[], inputs: readonly HostileInput[]): string[] {
  const covered = new Set(inputs.map(({ of = [] }) => of.join(' ')));
  const wanted = operations.flatMap(({ operationId, parameters, bodyTypes }) =>
    ['query', 'network', ...parameters, ...bodyTypes].map((name) => `${operationId} ${name}`),
  );
  return wanted.filter((each) => !covered.has(each));
}

/** Baselines of the comparison. */
export function smallInputs({ origin }: PortalPlace): HostileInput[] {
  const small = (server: 'gateway' | 'portal', input: string, request: Request): HostileInput => ({
    server,
    input,
    text: 'small',
    isOrder: false,
    bytes: (sender) => bytesOf(sender, request),
  });
  return [
    small('gateway', 'GET', { target: KEPT }),
    small('gateway', 'POST', webhook('{}')),
    small('portal', 'GET', { target: '/demo' }),
    small('portal', 'POST', formOf('/sign-in', 'email=a&password=b', origin)),
  ];
}
