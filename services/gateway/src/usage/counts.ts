/** Answers below 500 that cost nothing all the same: refusals, and 304s. */
const FREE = new Set([304, 401, 403, 429]);

/** Statuses that services answer with; there are few, so that counts by status stay small. */
const NAMED = new Set([200, 201, 204, 206, 400, 404, 405, 408, 409, 413, 415, 422]);

/** The status that an answer is counted by: any other one as the first of its class, as HTTP reads unknown ones. */
export function statusOf(statusCode: number): number {
  return NAMED.has(statusCode) ? statusCode : statusCode - (statusCode % 100);
}

export function counts(statusCode: number): boolean {
  return statusCode < 500 && !FREE.has(statusCode);
}
