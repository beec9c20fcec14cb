import type { Attributes, Histogram } from '@opentelemetry/api';

/**
 * Runs the work and records its duration in seconds. If it throws, `error.type` names the error.
 * @param duration the instrument, if metrics are exported
 * @param errorType the error's kind, by OpenTelemetry's conventions for that protocol
 */
export async function recordDuration<T>(
  duration: Histogram | undefined,
  attributes: Attributes,
  work: () => Promise<T>,
  errorType: (error: unknown) => string = nameOf,
): Promise<T> {
  const begun = performance.now();
  let outcome = attributes;
  try {
    return await work();
  } catch (error) {
    outcome = { ...attributes, 'error.type': errorType(error) };
    throw error;
  } finally {
    duration?.record((performance.now() - begun) / 1000, outcome);
  }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown');
