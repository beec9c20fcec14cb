/** Answers that cost nothing although they are below 500: refusals, and what the client has already. */
const FREE = new Set([304, 401, 403, 429]);

/** Whether an answer of a service counts. */
export function counts(statusCode: number): boolean {
  return statusCode < 500 && !FREE.has(statusCode);
}
