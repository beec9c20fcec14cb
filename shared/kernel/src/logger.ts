import { trace } from '@opentelemetry/api';
import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { createRequire } from 'node:module';
import type * as PinoPretty from 'pino-pretty';

/** The logger that every part receives: JSON lines on stdout, readable ones on a terminal. */
export type Logger = PinoLogger;

export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** Headers and fields that may hold a key, a session or a password, at every depth that we log. */
const SECRET_FIELDS = [
  'x-api-key',
  'authorization',
  'cookie',
  'set-cookie',
  'projectId',
  'key',
  'password',
  'secret',
];

/** Most bytes of lines that wait to be written. */
const MAX_WAITING = 4 * 1024 * 1024;

interface LoggerOptions {
  readonly name: string;
  readonly level: (typeof LOG_LEVELS)[number];
  /** Destination of the lines; stdout by default. */
  readonly destination?: DestinationStream;
  /** Readable lines instead of JSON. */
  readonly pretty?: boolean;
}

/** Removes the query from a URL: it may contain a key. */
export function withoutQuery(url: string): string {
  const at = url.indexOf('?');
  return at === -1 ? url : url.slice(0, at);
}

/** A logger that cannot be made to print a key: known fields are censored and URLs lose their query. */
export function createLogger(options: LoggerOptions): Logger {
  const paths = SECRET_FIELDS.flatMap((field) => [`["${field}"]`, `*["${field}"]`, `*.*["${field}"]`]);
  const settings = {
    name: options.name,
    level: options.level,
    redact: { paths, censor: '[redacted]' },
    mixin: traceFields,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: {
      url: (url: unknown) => (typeof url === 'string' ? withoutQuery(url) : url),
      req: (req: { method?: string; url?: string }) => ({
        method: req.method,
        url: withoutQuery(req.url ?? ''),
      }),
    },
  };
  if (options.pretty) {
    // Loaded here, because most processes write no readable lines.
    const { default: pretty } = createRequire(import.meta.url)('pino-pretty') as typeof PinoPretty;
    const stream = pretty({
      colorize: true,
      ignore: 'pid,hostname',
      ...(options.destination ? { destination: options.destination } : {}),
    });
    return pino(settings, stream);
  }
  return pino(settings, options.destination ?? toStdout());
}

/** Stdout; where it is a file on a full disk, lines wait for room, and those that are too many are lost: not the process. */
function toStdout(): DestinationStream {
  const stdout = pino.destination({ dest: 1, sync: false, maxLength: MAX_WAITING });
  stdout.on('error', () => undefined);
  return stdout;
}

/**
 * The span that a line was written in, by OpenTelemetry's names for logs of other formats. Empty where none
 * is recorded, or where it has ended: work that outlives a request does not belong to it.
 */
function traceFields(): object {
  const span = trace.getActiveSpan();
  if (span?.isRecording() !== true) return {};
  const { traceId, spanId } = span.spanContext();
  return { trace_id: traceId, span_id: spanId };
}
