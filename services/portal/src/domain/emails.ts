/** The emails that the portal sends, in plain text. */

const FOOT = '\n\n-- \nHindsight';

/** To a new user. */
export function confirmationEmail(link: string) {
  return {
    subject: 'Confirm your email',
    text: `Confirm your email to finish signing up for Hindsight. This link expires in 24 hours:\n\n${link}\n\nIf it wasn’t you, ignore this email: no account will be created.${FOOT}`,
  };
}

/** To an address that signs up but already has an account: the page itself does not reveal that. */
export function existingAccountEmail(origin: string) {
  return {
    subject: 'You already have an account',
    text: `Someone, probably you, tried to sign up for Hindsight with this address. It already has an account. Sign in:\n\n${origin}/sign-in\n\nor reset your password:\n\n${origin}/forgot\n\nIf it wasn’t you, ignore this email: nothing has changed.${FOOT}`,
  };
}

export function resetEmail(link: string) {
  return {
    subject: 'Reset your password',
    text: `Reset the password of your Hindsight account. This link expires in one hour:\n\n${link}\n\nIf you didn’t ask for this, ignore this email: your password stays the same.${FOOT}`,
  };
}

export function newAddressEmail(link: string) {
  return {
    subject: 'Confirm your new email',
    text: `Confirm this address to use it for your Hindsight account. Open the link in the browser where you are signed in. It expires in 24 hours:\n\n${link}\n\nIf it wasn’t you, ignore this email.${FOOT}`,
  };
}

/** To a new address that already belongs to another account. */
export function addressTakenEmail(origin: string) {
  return {
    subject: 'You already have an account',
    text: `Someone, probably you, tried to use this address for another Hindsight account, but it already has an account of its own. To move the address, sign in to that account and delete it first:\n\n${origin}/sign-in\n\nIf it wasn’t you, ignore this email: nothing has changed.${FOOT}`,
  };
}

/** Reports a change, so that its owner notices if someone else made it. */
export function noticeEmail(what: string, origin: string) {
  return {
    subject: what,
    text: `${what}. If this was you, you don’t need to do anything. If not, reset your password now:\n\n${origin}/forgot\n\nThen remove each way to sign in that isn’t yours:\n\n${origin}/account${FOOT}`,
  };
}

/** To the former address of an account: a link to reset its password no longer goes there. */
export function formerAddressEmail() {
  return {
    subject: 'Your Hindsight email address was changed',
    text: `This is no longer the address of your Hindsight account. If this was you, you don’t need to do anything. If not, contact your operator now: someone else has changed it.${FOOT}`,
  };
}

export function farewellEmail() {
  return {
    subject: 'Your account was deleted',
    text: `Your Hindsight account was deleted. The API keys of its projects no longer work.${FOOT}`,
  };
}

/** A share of the monthly limit that was reached. */
interface ReachedAlert {
  /** The project's. */
  readonly name: string;
  /** As 2026-11. */
  readonly month: string;
  /** In per cent. */
  readonly threshold: number;
  readonly requests: number;
  readonly limit: number;
  /** The month is over by now. */
  readonly isOver: boolean;
  readonly link: string;
}

/** To a project's owner: usage has reached a threshold. */
export function alertEmail(alert: ReachedAlert) {
  const { name, month, threshold, requests, limit, link } = alert;
  const [used, all] = [requests, limit].map((units) => units.toLocaleString('en-US'));
  return {
    subject: `${threshold}% of the monthly limit used: ${oneLine(name)}`,
    text: `Your project “${oneLine(name)}” has used ${used} of ${all} units in ${month} (UTC), ${threshold}% of its limit. ${effectOf(alert)}\n\nSee what uses your units, and choose when to get this email:\n\n${link}${FOOT}`,
  };
}

function effectOf({ requests, limit, isOver }: ReachedAlert): string {
  if (isOver) return 'That month is over, and the whole limit is available again.';
  return requests >= limit
    ? 'Requests return 429 until the next month begins, 00:00 UTC on its first day.'
    : 'Requests work until the limit is reached; then they return 429 until the next month begins.';
}

/** A name is its owner's text: in a subject it must not begin another header. */
function oneLine(name: string): string {
  return name.replace(/\s+/g, ' ');
}
