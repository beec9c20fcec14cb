import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { EthereumNode, RpcCall } from './node.ts';
import { NodeError } from './node-error.ts';

/** Methods that a span names; a batch may hold hundreds of calls. */
const MAX_NAMED = 5;

/**
 * A node whose requests are client spans in the current trace. Only the node's label identifies it, because
 * providers put keys into URLs. No trace context is sent, because the node belongs to others.
 */
export function traceNode(node: EthereumNode): EthereumNode {
  const tracer = trace.getTracer('hindsight.chain');
  return {
    ...node,
    async send(calls, options) {
      // Background work, such as polling heads, starts no trace.
      if (trace.getActiveSpan()?.isRecording() !== true) return node.send(calls, options);
      const methods = [...new Set(calls.map(({ method }) => method))];
      const span = tracer.startSpan(nameOf(methods, calls), { kind: SpanKind.CLIENT });
      span.setAttributes({
        'rpc.system.name': 'jsonrpc',
        'rpc.method': methods.slice(0, MAX_NAMED).join(', '),
        'server.address': node.label,
        'hindsight.rpc.calls': calls.length,
      });
      try {
        return await context.with(trace.setSpan(context.active(), span), () => node.send(calls, options));
      } catch (error) {
        const kind = error instanceof NodeError ? error.kind : 'aborted';
        span.setAttribute('error.type', kind).setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

function nameOf(methods: readonly string[], calls: readonly RpcCall[]): string {
  return methods.length === 1 && calls.length === 1 ? `JSON-RPC ${methods[0]}` : 'JSON-RPC batch';
}
