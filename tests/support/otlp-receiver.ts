import { createServer } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A span as it was sent (OTLP/HTTP with JSON). */
export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  /** 2 is a server's, 3 a client's. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: Readonly<Record<string, string>>;
}

/** A collector of traces and metrics on loopback. */
export interface OtlpReceiver {
  /** Settings of a process that sends here, soon. */
  readonly env: Readonly<Record<string, string>>;
  readonly spans: readonly ReceivedSpan[];
  /** Names of the metrics received. */
  readonly metrics: ReadonlySet<string>;
  /** Everything received, as text, to search for what must not be in it. */
  text(): string;
  /** Resolves to the spans of a trace once there are this many of them, and some of each of these services. */
  trace(traceId: string, count: number, of?: readonly string[]): Promise<readonly ReceivedSpan[]>;
  close(): Promise<void>;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Export {
  readonly resourceSpans?: {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: {
      readonly spans: (Omit<ReceivedSpan, 'attributes'> & { attributes?: Attribute[] })[];
    }[];
  }[];
  readonly resourceMetrics?: { readonly scopeMetrics: { readonly metrics: { readonly name: string }[] }[] }[];
}

const WAIT_MS = 600_000;

/** Starts the receiver on a free port. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const metrics = new Set<string>();
  const bodies: string[] = [];
  const server = createServer(LASTING, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      bodies.push(JSON.stringify(request.headers), body);
      const sent = JSON.parse(body) as Export;
      spans.push(...readSpans(sent));
      for (const name of readMetrics(sent)) metrics.add(name);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_METRIC_EXPORT_INTERVAL: '500',
    },
    spans,
    metrics,
    text: () => bodies.join('\n'),
    async trace(traceId, count, of = []) {
      const deadline = Date.now() + WAIT_MS;
      for (;;) {
        const found = spans.filter((span) => span.traceId === traceId);
        const services = new Set(found.map(({ service }) => service));
        if (found.length >= count && of.every((service) => services.has(service))) return found;
        if (Date.now() > deadline)
          throw new Error(`only ${JSON.stringify(found)} of trace ${traceId}, within ${WAIT_MS} ms`);
        await sleep(50);
      }
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function readSpans({ resourceSpans = [] }: Export): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = readAttributes(resource.attributes)['service.name'] ?? '';
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        service,
        links: span.links ?? [],
        attributes: readAttributes(span.attributes ?? []),
      })),
    );
  });
}

function readMetrics({ resourceMetrics = [] }: Export): string[] {
  return resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) => metrics.map(({ name }) => name)),
  );
}

function readAttributes(attributes: readonly Attribute[]): Record<string, string> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]));
}
