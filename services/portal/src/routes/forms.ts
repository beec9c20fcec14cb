import { acceptBoundedJson } from '@hindsight/http/json-bodies.ts';
import { badRequest } from '@hindsight/kernel/errors.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { InvalidProject } from '@hindsight/projects/project.ts';
import { InvalidThresholds } from '@hindsight/usage/alerts/thresholds.ts';
import { sentence } from '../domain/sentence.ts';
import type { FormErrors } from '../pages/parts/form.ts';
import { GRACES } from '../pages/parts/rotation.ts';
import { TooManyProjects } from '../user-projects.ts';

export interface Form {
  Body: Readonly<Record<string, unknown>> | null | undefined;
}

export interface Query {
  Querystring: Readonly<Record<string, unknown>>;
}

/** Forms of the portal have a few short fields. Thousands of empty ones would take milliseconds to read. */
const FORM_BYTES = 16 * 1024;
const MAX_FIELDS = 20;
/** A wallet's message has some twenty colons. */
const MAX_JSON_VALUES = 200;
const [PLUS, SPACE] = [0x2b, 0x20];

/** Reads bodies of HTML forms as an object of the first value of each field; and those that scripts send as JSON. */
export function acceptForms(app: HttpServer): void {
  acceptBoundedJson(app, { maxValues: MAX_JSON_VALUES, expected: 'a few fields' });
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

/** A rotation's grace period from the form. @throws {InvalidProject} */
export function graceOf(body: Form['Body']): number {
  const grace = GRACES.find(({ ms }) => String(ms) === textOf(body, 'graceMs'));
  if (grace === undefined) throw new InvalidProject('choose how long the current key keeps working');
  return grace.ms;
}

/** The error to show in a form, at a field if it names one. Anything unexpected is rethrown. */
export function faultOf(error: unknown, field?: string): FormErrors {
  if (error instanceof TooManyProjects) return { form: error.message };
  if (!(error instanceof InvalidProject || error instanceof InvalidThresholds)) throw error;
  const words = `${sentence(error.message)}.`;
  return field === undefined ? { form: words } : { fields: { [field]: words } };
}
