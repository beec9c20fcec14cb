import type { Clock } from '@hindsight/kernel/clock.ts';
import { encodeText, preferredCoding } from '@hindsight/http/content-coding.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SessionKeeper } from '../accounts/session-keeper.ts';
import { safeNext } from '../domain/next-path.ts';
import { readTheme, type Frame } from '../pages/frame.ts';
import type { Account } from '../domain/account.ts';
import type { SignedIn } from '../ports.ts';

export interface PageContext {
  readonly sessions: Pick<SessionKeeper, 'current'>;
  readonly clock: Clock;
  /** Emails are kept in the development mailbox. */
  readonly mailbox: boolean;
}

export function frameFor(
  { mailbox }: Pick<PageContext, 'mailbox'>,
  request: FastifyRequest,
  signedIn: SignedIn | null,
): Frame {
  return {
    user: signedIn && { label: labelOf(signedIn.user) },
    theme: readTheme(request.headers.cookie),
    path: request.url.split('?', 1)[0] ?? '/',
    mailbox,
  };
}

function labelOf({ email, name, identities }: Account): string {
  if (email !== null) return email;
  if (name !== '') return name;
  const wallet = identities.find(({ provider }) => provider === 'wallet')?.label;
  return wallet === undefined ? 'Account' : `${wallet.slice(0, 6)}…${wallet.slice(-4)}`;
}

/**
 * Sends a page in its reader's frame: 422 if its model has form errors, 200 otherwise. A reader whose session
 * cannot be read appears signed out.
 */
export async function showPage<Model extends object>(
  context: PageContext,
  reply: FastifyReply,
  page: (frame: Frame, model: Model) => string,
  model: Model,
  status = statusOf(model),
): Promise<void> {
  const { request } = reply;
  const frame = frameFor(context, request, await orNull(context.sessions.current(request.headers)));
  await sendPage(reply, page(frame, model), status);
}

/** Null while the store does not answer. */
export async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StoreUnavailable) return null;
    throw error;
  }
}

/** 422 if a form had errors. */
export function statusOf(model: object): number {
  return 'errors' in model && model.errors !== undefined ? 422 : 200;
}

/**
 * Sends a page, compressed if the browser accepts that. It is never cached: it may be for its reader only.
 */
export async function sendPage(reply: FastifyReply, page: string, status = 200): Promise<void> {
  const coding = preferredCoding(reply.request.headers['accept-encoding']);
  const body = coding ? await encodeText(page, coding) : page;
  if (coding) void reply.header('content-encoding', coding);
  void reply.headers({ 'cache-control': 'no-store', vary: 'accept-encoding' });
  await reply.code(status).type('text/html; charset=utf-8').send(body);
}

/** Redirects to a page of this site, with GET. */
export async function goTo(reply: FastifyReply, path: string): Promise<void> {
  await reply.header('cache-control', 'no-store').redirect(safeNext(path), 303);
}

/** Messages about the last action, by the name in the URL's query. */
export type Notices = Readonly<Record<string, string>>;

/** The message for a name from a URL, which is untrusted: unknown and inherited names have none. */
export function noticeOf(notices: Notices, name: unknown): string | undefined {
  return typeof name === 'string' && Object.hasOwn(notices, name) ? notices[name] : undefined;
}
