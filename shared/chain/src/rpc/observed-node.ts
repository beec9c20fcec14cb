import { recordDuration } from '@hindsight/kernel/telemetry/record-duration.ts';
import { context, SpanKind, SpanStatusCode, trace, type Histogram } from '@opentelemetry/api';
import type { EthereumNode, RpcCall } from './node.ts';
import { NodeError } from './node-error.ts';

/** Methods that a span names; a batch may hold hundreds of calls. */
const MAX_NAMED = 5;

/**
 * A node whose requests are client spans in the current trace, and are measured where metrics are exported, by OpenTelemetry's
 * conventions for RPC clients. Only the node's label identifies it, because providers put keys into URLs. No trace context is
 * sent, because the node belongs to others.
 * @param network its name
 */
export function observeNode(node: EthereumNode, network: string, duration?: Histogram): EthereumNode {
  const tracer = trace.getTracer('hindsight.chain');
  const known = { 'rpc.system.name': 'jsonrpc', 'server.address': node.label };
  const measured = { ...known, 'hindsight.network': network };
  return {
    ...node,
    async send(calls, options) {
      const ask = () => recordDuration(duration, measured, () => node.send(calls, options), kindOf);
      // Background work, such as polling heads, starts no trace.
      if (trace.getActiveSpan()?.isRecording() !== true) return ask();
      const methods = [...new Set(calls.map(({ method }) => method))];
      const span = tracer.startSpan(nameOf(methods, calls), { kind: SpanKind.CLIENT });
      span.setAttributes({
        ...known,
        'rpc.method': methods.slice(0, MAX_NAMED).join(', '),
        'hindsight.rpc.calls': calls.length,
      });
      try {
        return await context.with(trace.setSpan(context.active(), span), ask);
      } catch (error) {
        span.setAttribute('error.type', kindOf(error)).setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

function kindOf(error: unknown): string {
  return error instanceof NodeError ? error.kind : 'aborted';
}

function nameOf(methods: readonly string[], calls: readonly RpcCall[]): string {
  return methods.length === 1 && calls.length === 1 ? `JSON-RPC ${methods[0]}` : 'JSON-RPC batch';
}
