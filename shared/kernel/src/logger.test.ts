import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { trace } from '@opentelemetry/api';
import { recordSpans } from '../test/support/recorded-spans.ts';
import { createLogger } from './logger.ts';

function logged(what: object): string {
  const lines: string[] = [];
  const logger = createLogger({
    name: 'test',
    level: 'info',
    destination: { write: (line) => lines.push(line) },
  });
  logger.info(what, 'said');
  return lines.join('');
}

describe('a log line', () => {
  it('is JSON with a level by name', () => {
    expect(JSON.parse(logged({ part: 'x' }))).toMatchObject({
      level: 'info',
      name: 'test',
      part: 'x',
      msg: 'said',
    });
  });

  it.each([
    ['a key in a header', { headers: { 'x-api-key': 'hunter2' } }],
    ['a key in a request’s header', { request: { headers: { 'x-api-key': 'hunter2' } } }],
    ['an authorization', { headers: { authorization: 'Basic hunter2' } }],
    ['a cookie', { headers: { cookie: 'session=hunter2' } }],
    ['a key in a URL’s query', { url: '/v1/x?projectId=hunter2' }],
    ['a key in a request’s URL', { req: { method: 'GET', url: '/v1/x?projectId=hunter2' } }],
    ['a cookie that is set', { headers: { 'set-cookie': 'session=hunter2' } }],
    ['a password', { user: { password: 'hunter2' } }],
    ['a key', { key: 'hunter2' }],
    ['the key of a project', { project: { key: 'hunter2' } }],
    ['a key as the original API has it', { query: { projectId: 'hunter2' } }],
    ['a secret', { webhook: { keys: { secret: 'hunter2' } } }],
  ])('never shows %s', (_what, fields) => {
    expect(logged(fields)).not.toContain('hunter2');
  });
});

describe('a log line of a traced request', () => {
  let spans: ReturnType<typeof recordSpans>;
  beforeAll(() => void (spans = recordSpans()));
  afterAll(() => spans.stop());

  it('names its trace and its span, beside the fields of the line', () => {
    trace.getTracer('test').startActiveSpan('request', (span) => {
      const { traceId, spanId } = span.spanContext();
      expect(JSON.parse(logged({ part: 'x' }))).toMatchObject({
        trace_id: traceId,
        span_id: spanId,
        part: 'x',
      });
      span.end();
      // Of work that outlives its request.
      expect(logged({ part: 'x' })).not.toContain('trace_id');
    });
    expect(logged({ part: 'x' })).not.toContain('trace_id');
  });
});
