/** docs/openapi.json, compared with the services that it describes. */
import { CLIENT_PATHS, makeClientPaths } from '@hindsight/tools/openapi/client-paths.ts';
import { openApiOf, templateOf, type RecordedExamples } from '@hindsight/tools/openapi/document.ts';
import { filledPath } from '@hindsight/tools/openapi/example-requests.ts';
import { OPERATIONS } from '@hindsight/tools/openapi/operations.ts';
import { recordExamples } from '@hindsight/tools/openapi/record-examples.ts';
import { ALL_OPERATIONS, pathsOf } from '@hindsight/api/operations.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFastKey } from '../support/fast-key.ts';
import { startHindsight, type HindsightProcess } from '../support/hindsight-process.ts';
import { validatorOf, type Media } from './schemas.ts';

type Node = Record<string, unknown>;
interface Answer {
  readonly headers?: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
  readonly content?: Readonly<Record<string, Media>>;
}
interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Record<string, Answer>;
}
interface Document {
  readonly servers: { readonly url: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, Node> };
}

const SERVER = 'http://127.0.0.1:8080';

const written = JSON.parse(
  readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'),
) as Document;

const all = Object.entries(written.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

function faultsOf(media: Media | undefined, value: unknown): unknown {
  if (media === undefined) return 'the document has no such answer';
  const validate = validatorOf(media);
  return validate(value) ? null : validate.errors;
}

describe('docs/openapi.json', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(written) as never);
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
    expect(validator.version).toBe('3.1');
  });

  it('has exactly the operations of the table, aliases aside', () => {
    const served = ALL_OPERATIONS.map(({ method, path }) => `${method.toLowerCase()} ${templateOf(path)}`);
    expect(all.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(served.sort());
    const names = all.map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  it('is what the paths of the client are made of (npm run build:openapi writes them)', () => {
    expect(readFileSync(CLIENT_PATHS, 'utf8')).toBe(makeClientPaths(written));
  });

  it.each(all)(
    'describes the errors of $method $path, each with an example of that shape',
    ({ operation }) => {
      const { responses } = operation;
      expect(Object.keys(responses)).toEqual(
        expect.arrayContaining(['401', '403', '429', '500', '503', '504', 'default']),
      );
      for (const [status, { content }] of Object.entries(responses)) {
        if (!/^[45]/.test(status)) continue;
        const media = content?.['application/json'];
        expect(faultsOf(media, media?.example)).toBeNull();
        expect(media?.example).toMatchObject({ statusCode: Number(status) });
      }
      expect(responses[429]?.headers).toHaveProperty(['Retry-After']);
      expect(responses[401]?.headers).toHaveProperty(['WWW-Authenticate']);
    },
  );

  it.each(all)('shows of $method $path an answer, and a body, as its schema has them', ({ operation }) => {
    const { responses, requestBody } = operation;
    const answered = responses[200] ?? responses[201];
    // Of a file the facts are, in a header.
    const facts = Object.values(answered?.headers ?? {}).find(({ content }) => content !== undefined);
    const [type, success] = firstOf(facts ?? answered);
    const isJson = type === 'application/json';
    const answers = isJson ? [success?.example] : linesOf(success?.example, type);
    expect(answers.length).toBeGreaterThan(0);
    for (const answer of answers) expect(faultsOf(success, answer)).toBeNull();
    const [, body] = firstOf(requestBody);
    if (body !== undefined) expect(faultsOf(body, body.example)).toBeNull();
  });
});

/** The first described response has the example. */
function firstOf(
  described: { readonly content?: Readonly<Record<string, Media>> } | undefined,
): [string?, Media?] {
  return Object.entries(described?.content ?? {})[0] ?? [];
}

/** The records of an answer in lines, or of the data of events. */
function linesOf(text: unknown, type: string | undefined): unknown[] {
  const lines = String(text)
    .split('\n')
    .map((line) => (type === 'text/event-stream' ? (/^data: (.*)/.exec(line)?.[1] ?? '') : line))
    .filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as unknown);
}

describe('docs/openapi.json and the running services', () => {
  let dataDir: string;
  let running: HindsightProcess;
  let key: string;
  let recorded: RecordedExamples;
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'hindsight-openapi-'));
    running = await startHindsight({ DATA_DIR: dataDir, PUBLIC_URL: SERVER });
    key = await makeFastKey(dataDir);
    recorded = await recordExamples({ url: running.url, key }, OPERATIONS);
  });
  afterAll(async () => {
    await running.end('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('agree: the document matches the services’ descriptions and answers (npm run build:openapi writes it)', () => {
    const built = JSON.parse(JSON.stringify(openApiOf(OPERATIONS, recorded, SERVER))) as unknown;
    expect(written).toEqual(built);
  });

  it.each(
    ALL_OPERATIONS.flatMap((one) =>
      pathsOf(one).map((path) => ({ id: one.operationId, method: one.method, path })),
    ),
  )('agree that $id is answered at $method $path', async ({ method, path }) => {
    // Refused for its parameters, where a service has the route.
    const url = `${running.url}${filledPath(templateOf(path))}?nothing=1`;
    const response = await fetch(url, { method, headers: { 'x-api-key': key } });
    expect([400, 411]).toContain(response.status);
  });

  it('agree on the usage of a project, which changes each day', async () => {
    const response = await fetch(`${running.url}/v1/usage`, { headers: { 'x-api-key': key } });
    const media = written.paths['/v1/usage']?.get?.responses[200]?.content?.['application/json'];
    expect(faultsOf(media, await response.json())).toBeNull();
  });

  it('agree on the headers of an answer, of a 304 and of a refusal', async () => {
    const path = '/v1/eth-mainnet/balance/single';
    const { query } = recorded.getTokenBalance ?? { query: {} };
    const url = `${running.url}${path}?${new URLSearchParams(query).toString()}`;
    const headers = { 'x-api-key': key };
    const answer = await fetch(url, { headers });
    const etag = answer.headers.get('etag') ?? '';
    const again = await fetch(url, { headers: { ...headers, 'if-none-match': etag } });
    const refused = await fetch(url);
    expect([answer.status, again.status, refused.status]).toEqual([200, 304, 401]);
    const { responses } = written.paths['/v1/{network}/balance/single']!.get!;
    for (const response of [answer, again, refused]) {
      const names = Object.keys(responses[response.status]?.headers ?? {});
      expect(names.filter((name) => !response.headers.has(name))).toEqual([]);
    }
  });

  it('agree on keys: in the header or in the query', async () => {
    const url = `${running.url}/v1/usage`;
    const [header, query] = await Promise.all([
      fetch(url, { headers: { 'x-api-key': key } }),
      fetch(`${url}?projectId=${key}`),
    ]);
    expect([header.status, query.status]).toEqual([200, 200]);
  });
});
