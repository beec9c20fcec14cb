/** Inputs of the public operations: each parameter and query from the document, bodies by hand. */
import { BODIES, MCP_BODIES, type Body, type BodyTable } from './bodies.ts';
import { queryAround, type Operation } from './operations.ts';
import { bytesOf, filled, HEAD, URL_LENGTH, type HostileInput, type Request } from './requests.ts';
import { HEADER_TEXTS, QUERY_TEXTS, VALUE_TEXTS } from './texts.ts';

const ROWS_OF_A_UNIT = 100;

/** All of them, and those of agents' messages, which are no operation. */
export function ofOperations(operations: readonly Operation[]): HostileInput[] {
  return [
    ...operations.flatMap((each) => [...ofQuery(each), ...ofBody(each)]),
    ...ofLastEvent(),
    ...ofMessages(),
  ];
}

function ofQuery(operation: Operation): HostileInput[] {
  const {
    operationId,
    method,
    path,
    parameters,
    bodyTypes: [type],
  } = operation;
  const part = { server: 'gateway', isOrder: false, length: URL_LENGTH } as const;
  const requestTo = (target: string): Request =>
    method === 'GET' ? { target } : { method, target, lines: [`content-type: ${type}`], body: '[]' };
  return [
    ...filled({
      ...part,
      of: [operationId, 'query'],
      input: `query of ${operationId}`,
      texts: QUERY_TEXTS,
      request: (query) => requestTo(`${path}?${query}`),
    }),
    ...filled({
      ...part,
      of: [operationId, 'network'],
      input: `network of ${operationId}`,
      texts: path.includes('eth-mainnet') ? VALUE_TEXTS : VALUE_TEXTS.slice(0, 1),
      request: (value) => requestTo(path.replace('eth-mainnet', () => value)),
    }),
    ...filled({
      ...part,
      of: [operationId, 'orderHash'],
      input: `orderHash of ${operationId}`,
      texts: path.includes('/0x') ? VALUE_TEXTS : [],
      request: (value) => requestTo(path.replace(/0x\w+$/, () => value)),
    }),
    ...parameters.flatMap((name) =>
      filled({
        ...part,
        of: [operationId, name],
        input: `${name} of ${operationId}`,
        texts: VALUE_TEXTS,
        request: (value) => requestTo(`${path}?${queryAround(operation, name)}${name}=${value}`),
      }),
    ),
  ];
}

/** A header that the document leaves to the protocol of event streams. */
function ofLastEvent(): HostileInput[] {
  return filled({
    server: 'gateway',
    isOrder: false,
    length: HEAD,
    input: 'header last-event-id',
    texts: HEADER_TEXTS,
    request: (value) => ({ target: '/v1/eth-mainnet/orders/stream', lines: [`last-event-id: ${value}`] }),
  });
}

function ofBody(operation: Operation): HostileInput[] {
  return (BODIES[operation.operationId] ?? []).flatMap((table) => ofTable(operation, table));
}

function ofTable({ operationId, path }: Operation, table: BodyTable): HostileInput[] {
  const rowsOfAUnit = table.rowsOfAUnit ?? ROWS_OF_A_UNIT;
  const target = table.query === '' ? path : `${path}?${table.query}`;
  const requestOf = (type: string, body: string): Request => ({
    method: 'POST',
    target,
    lines: [`content-type: ${type}`],
    body,
  });
  return table.hostile.map((body) =>
    toInput(body, [operationId, body.type], {
      hostile: (text) => requestOf(body.type, text),
      good: requestOf(body.type, table.good(body.type, Math.ceil(body.rows / rowsOfAUnit) * rowsOfAUnit)),
    }),
  );
}

function ofMessages(): HostileInput[] {
  const requestOf = (body: string): Request => ({
    method: 'POST',
    target: '/mcp',
    lines: ['content-type: application/json', 'accept: application/json, text/event-stream'],
    body,
  });
  const good = requestOf('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  return MCP_BODIES.map((body) => toInput(body, ['mcp', body.type], { hostile: requestOf, good }));
}

function toInput(
  { text, type, make }: Body,
  of: readonly [string, string],
  { hostile, good }: { readonly hostile: (body: string) => Request; readonly good: Request },
): HostileInput {
  let body: string | undefined;
  return {
    server: 'gateway',
    input: `body of ${of[0]} (${type})`,
    text,
    isOrder: false,
    of,
    // Made once, on demand: the measurement is of reading it.
    bytes: (sender) => bytesOf(sender, hostile((body ??= make()))),
    good: (sender) => bytesOf(sender, good),
  };
}
