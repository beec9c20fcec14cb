/** Spans of work that several traced questions share. */
import { SingleFlight } from '@hindsight/kernel/single-flight.ts';
import { recordSpans } from '@hindsight/kernel/test/support/recorded-spans.ts';
import { afterAll, afterEach, expect, it } from '@jest/globals';
import { trace, type Span } from '@opentelemetry/api';
import { observeNode } from '../rpc/observed-node.ts';
import { Batcher } from './batcher.ts';
import type { Block } from './block.ts';
import type { CallOutcome, PinnedCall } from './pinned-state.ts';

const BLOCK: Block = { number: 1, hash: '0x1', parentHash: '0x0', timestamp: 1 };
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const tracer = trace.getTracer('test');
const spans = recordSpans();
afterAll(() => spans.stop());

/** Requests that a node holds until the test lets them go. */
const held: (() => void)[] = [];
afterEach(() => void held.splice(0));
const node = observeNode(
  {
    label: 'node',
    send: () => new Promise((resolve) => held.push(() => resolve([]))),
    close: async () => undefined,
  },
  'eth-mainnet',
);
const state = {
  room: () => ({ taken: 48_000, returned: 90_000, gas: 50_000_000 }),
  async ask(calls: readonly PinnedCall[]): Promise<readonly CallOutcome[]> {
    await node.send(
      calls.map(() => ({ method: 'eth_call', params: [] })),
      {},
    );
    return calls.map(() => ({ results: [] }));
  },
};

/** A question in a new trace. */
function ask(batcher: Batcher, name: string): { span: Span; answered: Promise<unknown> } {
  return tracer.startActiveSpan(name, { root: true }, (span) => ({
    span,
    answered: batcher.ask(BLOCK, []).finally(() => span.end()),
  }));
}

/** Two calls of a block are under way, so that what follows gathers. */
async function busyBatcher(): Promise<{ batcher: Batcher; letGo: () => void; answered: Promise<unknown>[] }> {
  const batcher = new Batcher(state);
  const answered = [ask(batcher, 'before'), ask(batcher, 'before')].map((one) => one.answered);
  await settled();
  return { batcher, letGo: () => held.forEach((release) => release()), answered };
}

const endedIn = (span: Span, name: RegExp) =>
  spans.ended.filter(
    (ended) => ended.spanContext().traceId === span.spanContext().traceId && name.test(ended.name),
  );

it('a call that waited is in the trace of its own question, not in that of the answer that it waited for', async () => {
  const { batcher, letGo, answered } = await busyBatcher();
  const late = ask(batcher, 'late');
  letGo();
  await settled();
  letGo();
  await Promise.all([...answered, late.answered]);
  const [call, ...others] = endedIn(late.span, /^JSON-RPC/);
  expect(call?.parentSpanContext?.spanId).toBe(late.span.spanContext().spanId);
  expect(others).toEqual([]);
});

it('a call that several share is a span of the first one’s trace; each has a span that links to the others', async () => {
  const { batcher, letGo, answered } = await busyBatcher();
  const questions = ['first', 'second', 'third'].map((name) => ask(batcher, name));
  letGo();
  await settled();
  letGo();
  await Promise.all([...answered, ...questions.map((one) => one.answered)]);
  const shared = questions.map(({ span }) => endedIn(span, /^shared call$/));
  expect(shared.map(({ length }) => length)).toEqual([1, 1, 1]);
  const [holder, ...waiting] = shared.map(([span]) => span!);
  const idsOf = (links: readonly { context: { spanId: string } }[]) =>
    links.map(({ context }) => context.spanId);
  expect(idsOf(holder!.links)).toEqual(waiting.map((span) => span.spanContext().spanId));
  for (const span of waiting) expect(idsOf(span.links)).toEqual([holder!.spanContext().spanId]);
  const [call] = endedIn(questions[0]!.span, /^JSON-RPC/);
  expect(call?.parentSpanContext?.spanId).toBe(holder!.spanContext().spanId);
  expect(questions.slice(1).flatMap(({ span }) => endedIn(span, /^JSON-RPC/))).toEqual([]);
});

it('a question that another one has asked already links to its span', async () => {
  const flights = new SingleFlight<string, void>();
  const done = Promise.withResolvers<void>();
  const [first, second] = ['first', 'second'].map((name) =>
    tracer.startActiveSpan(name, { root: true }, (span) => {
      const { result } = flights.join('key', () => done.promise);
      return { span, answered: result.finally(() => span.end()) };
    }),
  );
  done.resolve();
  await Promise.all([first!.answered, second!.answered]);
  const [ended] = endedIn(second!.span, /^second$/);
  expect(ended?.links.map(({ context }) => context.spanId)).toEqual([first!.span.spanContext().spanId]);
  expect(endedIn(first!.span, /^first$/)[0]?.links).toEqual([]);
});
