import { badRequest } from '@hindsight/kernel/errors.ts';
import type { HttpServer } from '@hindsight/http/types.ts';

/** A request with a form's fields. */
export interface Form {
  Body: Readonly<Record<string, unknown>> | null | undefined;
}

/** A request with a query. */
export interface Query {
  Querystring: Readonly<Record<string, unknown>>;
}

/** Forms of the portal have a few short fields. Thousands of empty ones would take milliseconds to read. */
const FORM_BYTES = 16 * 1024;
const MAX_FIELDS = 20;
const [PLUS, SPACE] = [0x2b, 0x20];

/** Reads bodies of HTML forms: an object of the first value of each field. */
export function acceptForms(app: HttpServer): void {
  const options = { parseAs: 'buffer', bodyLimit: FORM_BYTES } as const;
  app.addContentTypeParser<Buffer>('application/x-www-form-urlencoded', options, (_request, bytes, done) => {
    // URLSearchParams would take a millisecond for a form of nothing else.
    for (let at = 0; at < bytes.length; at++) if (bytes[at] === PLUS) bytes[at] = SPACE;
    const body = bytes.toString();
    if (body.split('&', MAX_FIELDS + 1).length > MAX_FIELDS) {
      done(badRequest(`The form has more than ${MAX_FIELDS} fields.`, 'invalid_body'));
      return;
    }
    const fields = new Map<string, string>();
    for (const [name, value] of new URLSearchParams(body)) if (!fields.has(name)) fields.set(name, value);
    done(null, Object.fromEntries(fields));
  });
}

/** A form's field; empty if it is missing. */
export function textOf(body: Form['Body'], name: string): string {
  const value = typeof body === 'object' ? body?.[name] : undefined;
  return typeof value === 'string' ? value : '';
}
