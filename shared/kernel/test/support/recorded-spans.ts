import { context, propagation, trace } from '@opentelemetry/api';
import { NodeSDK, type NodeSDKConfiguration } from '@opentelemetry/sdk-node';

type SpanProcessor = NonNullable<NodeSDKConfiguration['spanProcessors']>[number];
/** A span that has ended. */
type EndedSpan = Parameters<SpanProcessor['onEnd']>[0];

/** For tests: spans are recorded in memory, for the whole test file, until it is stopped. */
export function recordSpans(): { readonly ended: readonly EndedSpan[]; stop(): Promise<void> } {
  const ended: EndedSpan[] = [];
  const processor: SpanProcessor = {
    onStart: () => undefined,
    onEnd: (span) => void ended.push(span),
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
  const sdk = new NodeSDK({
    autoDetectResources: false,
    spanProcessors: [processor],
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  const stop = async (): Promise<void> => {
    await sdk.shutdown();
    // Another suite of the process starts its own.
    for (const api of [trace, context, propagation]) api.disable();
  };
  return { ended, stop };
}
