/** The trace context on any bus: from a publish, through the event, to its handler. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { trace } from '@opentelemetry/api';
import { openBus, type OpenBus } from '@hindsight/bus/open.ts';
import type { ReceivedEvent } from '@hindsight/bus/port.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { load } from '@hindsight/kernel/config.ts';
import type { Topics } from '@hindsight/events/topics.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { TELEMETRY_SETTINGS } from '@hindsight/kernel/telemetry/settings.ts';
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts';

type Changed = ReceivedEvent<Topics['projects.changed']>;

const WAIT_MS = 600_000;

/** Runs the cases on the bus of these settings. */
export function describeTracedBus(name: string, settings: () => Parameters<typeof openBus>[0]): void {
  describe(`the trace of an event on ${name}`, () => {
    let receiver: OtlpReceiver;
    let lifecycle: Lifecycle;
    let bus: OpenBus['bus'];
    /** Events at handlers, and the trace of each. */
    const handled: { event: Changed; traceId: string | undefined }[] = [];

    beforeAll(async () => {
      receiver = await startOtlpReceiver();
      // The SDK reads the standard variables by itself.
      Object.assign(process.env, receiver.env);
      const logger = createLogger({ name: 'test', level: 'silent' });
      lifecycle = createLifecycle(logger);
      const telemetry = await openTelemetry('bus-test', load(TELEMETRY_SETTINGS, receiver.env), {
        logger,
        lifecycle,
      });
      const platform = { logger, clock: systemClock, ids: randomIds, lifecycle, telemetry };
      ({ bus } = await openBus(settings(), platform));
      await bus.subscribe(
        { group: `test-${randomIds.next()}`, topics: ['projects.changed'] },
        async (events) => {
          await Promise.resolve();
          const traceId = trace.getActiveSpan()?.spanContext().traceId;
          handled.push(...events.map((event) => ({ event, traceId })));
        },
      );
    });

    afterAll(async () => {
      await lifecycle.shutdown('test');
      await receiver.close();
    });

    const changeOf = (projectId: string, traceparent?: string) => ({
      type: 'suspended' as const,
      id: randomIds.next(),
      source: '/test',
      time: Date.now(),
      ...(traceparent === undefined ? {} : { traceparent }),
      data: { projectId, change: 'suspended' as const, at: new Date().toISOString() },
    });

    async function handledOf(projectId: string, count = 1): Promise<typeof handled> {
      const deadline = Date.now() + WAIT_MS;
      for (;;) {
        const found = handled.filter(({ event }) => event.data.projectId === projectId);
        if (found.length >= count) return found;
        if (Date.now() > deadline) throw new Error(`no event of ${projectId} within ${WAIT_MS} ms`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }

    it('goes on in its handler', async () => {
      const projectId = randomIds.next();
      const traceId = await trace.getTracer('test').startActiveSpan('request', async (span) => {
        await bus.publish('projects.changed', [changeOf(projectId)]);
        span.end();
        return span.spanContext().traceId;
      });
      const [received] = await handledOf(projectId);
      expect(received?.traceId).toBe(traceId);
      const spans = await receiver.trace(traceId, 3);
      expect(pathOf('process projects.changed', spans)).toEqual([
        'process projects.changed',
        'send projects.changed',
        'request',
      ]);
    });

    it('is the one in the event, if it has one', async () => {
      const projectId = randomIds.next();
      const traceId = '1234567890abcdef1234567890abcdef';
      await bus.publish('projects.changed', [changeOf(projectId, `00-${traceId}-00f067aa0ba902b7-01`)]);
      const [received] = await handledOf(projectId);
      expect(received?.traceId).toBe(traceId);
      expect(received?.event.traceparent).toBe(`00-${traceId}-00f067aa0ba902b7-01`);
    });

    it('is linked to if a batch has several', async () => {
      const projectId = randomIds.next();
      const ids = ['a', 'b', 'c'].map((letter) => letter.repeat(32));
      await bus.publish(
        'projects.changed',
        ids.map((id) => changeOf(projectId, `00-${id}-00f067aa0ba902b7-01`)),
      );
      const received = await handledOf(projectId, 3);
      const traces = new Set(received.map(({ traceId }) => traceId ?? ''));
      const spans = (await Promise.all([...traces].map((id) => receiver.trace(id, 1)))).flat();
      const reached = spans.flatMap(({ traceId, links }) => [traceId, ...links.map((link) => link.traceId)]);
      expect(reached).toEqual(expect.arrayContaining(ids));
    });
  });
}

/** Names from a span up to the root of its trace. */
function pathOf(name: string, spans: readonly ReceivedSpan[]): string[] {
  const path: string[] = [];
  let at = spans.find((span) => span.name === name);
  for (; at !== undefined; at = spans.find(({ spanId }) => spanId === at?.parentSpanId)) path.push(at.name);
  return path;
}
