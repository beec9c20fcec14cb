/** Inputs of the portal: parameters of its pages, and its forms with their fields. */
import { filled, JSON_BODY, URL_LENGTH, type HostileInput, type Request } from './requests.ts';
import { JSON_TEXTS, QUERY_TEXTS, VALUE_TEXTS } from './texts.ts';

/** The portal, and what its reader has there. */
export interface PortalPlace {
  readonly origin: string;
  /** Path of a project's page. */
  readonly project: string;
}

/** Bytes of a form up to its limit. */
const FORM = 16_000;

/** Pages with their parameters. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  '/sign-in': ['next', 'notice', 'again'],
  '/sign-up': ['next'],
  '/verify': ['token'],
  '/reset': ['token'],
  '/account': ['done'],
  '/docs/search': ['q'],
  '/demo': ['token', 'holder', 'from'],
  '/wallet': ['holder', 'date', 'block'],
  '/wallet/period': ['holder', 'from', 'to'],
  '/sign-in/github/callback': ['code', 'state'],
  ':project': ['done'],
  ':project/usage/report': ['month'],
  ':project/usage/report.csv': ['month', 'by'],
  ':project/orders': ['status', 'cursor', 'network'],
  ':project/audit': ['what', 'who', 'from', 'to', 'below'],
  ':project/audit/export': ['format', 'from'],
};

const KEY_FIELDS = ['name', 'addresses', 'origins', 'lastDay', 'cap'];

/** Forms with their fields. The last one ends the session. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  '/sign-up': ['email', 'password', 'next'],
  '/sign-in': ['email', 'password', 'next'],
  '/sign-in/again?then=/account/email': ['email', 'your-password'],
  '/verify': ['token', 'password'],
  '/verify/again': ['email'],
  '/forgot': ['email'],
  '/reset': ['token', 'password'],
  '/sign-in/wallet/message': ['address'],
  '/sign-in/wallet': ['message', 'signature', 'next'],
  '/account/email': ['email'],
  '/account/password': ['current', 'password'],
  '/account/unlink': ['id'],
  '/account/delete': ['confirm'],
  '/account/sessions/end': ['id'],
  '/account/sessions/end-all': [],
  '/account/link/wallet/message': ['address'],
  '/account/link/wallet': ['message', 'signature'],
  '/dashboard/projects': ['name'],
  ':project/name': ['name'],
  ':project/key': ['as', 'then'],
  ':project/rotate': ['key', 'graceMs'],
  ':project/alerts': ['thresholds'],
  ':project/keys': KEY_FIELDS,
  ':project/keys/none': KEY_FIELDS,
  ':project/keys/none/reveal': [],
  ':project/keys/none/rotate': ['graceMs'],
  ':project/keys/none/revoke': [],
  ':project/delete': ['name'],
  '/sign-out': [],
};

/** Routes of forms that have no hostile inputs. @param routes as Fastify has them: `/dashboard/projects/:id/name` */
export function formsWithout(routes: readonly string[]): string[] {
  const paths = Object.keys(FORMS).map(
    (path) => path.replace(':project', '/dashboard/projects/one').split('?')[0]!,
  );
  return routes.filter((route) => {
    const pattern = new RegExp(`^${route.replaceAll(/:[^/]+/g, '[^/]+')}$`);
    return !paths.some((path) => pattern.test(path));
  });
}

/** All of them, in an order in which the session ends last. */
export function ofPortal(portal: PortalPlace): HostileInput[] {
  const placed = (path: string): string => path.replace(':project', portal.project);
  const json = filled({
    ...{ server: 'portal', isOrder: false, length: JSON_BODY, input: 'JSON', texts: JSON_TEXTS },
    request: (body) => formOf('/sign-in/wallet', body, portal.origin, 'application/json'),
  });
  return [
    ...Object.entries(PAGES).flatMap(([path, parameters]) => ofPage(placed(path), parameters)),
    ...json,
    ...Object.entries(FORMS).flatMap(([path, fields]) => ofForm(placed(path), fields, portal.origin)),
  ];
}

function ofPage(path: string, parameters: readonly string[]): HostileInput[] {
  return parameters.flatMap((name) =>
    filled({
      server: 'portal',
      isOrder: false,
      input: `${name} of ${path}`,
      length: URL_LENGTH,
      texts: VALUE_TEXTS,
      request: (value) => ({ target: `${path}?${name}=${value}` }),
    }),
  );
}

function ofForm(path: string, fields: readonly string[], origin: string): HostileInput[] {
  const part = { server: 'portal', isOrder: false, length: FORM } as const;
  return [
    ...filled({
      ...part,
      input: `form ${path}`,
      texts: QUERY_TEXTS,
      request: (body) => formOf(path, body, origin),
    }),
    ...fields.flatMap((name) => {
      // A form whose other fields are right goes further.
      const others = fields.filter((other) => other !== name).map((other) => `${other}=ada%40example.org`);
      return filled({
        ...part,
        input: `${name} of form ${path}`,
        texts: VALUE_TEXTS,
        request: (value) => formOf(path, [...others, `${name}=${value}`].join('&'), origin),
      });
    }),
  ];
}

/** A form as a page of the portal sends it. */
export function formOf(
  target: string,
  body: string,
  origin: string,
  type = 'application/x-www-form-urlencoded',
): Request {
  return { method: 'POST', target, lines: [`content-type: ${type}`, `origin: ${origin}`], body };
}
