/** The letters that the portal writes, in plain text. */

interface Email {
  readonly subject: string;
  readonly text: string;
}

const FOOT = '\n\n-- \nHindsight';

/** To whoever signs up. */
export function confirmationEmail(link: string): Email {
  return {
    subject: 'Confirm your address',
    text: `Somebody, most likely you, has signed up to Hindsight with this address. Confirm it here within a day:\n\n${link}\n\nIf it was not you, do nothing: no account will be made.${FOOT}`,
  };
}

/** To whoever signs up with an address that has an account: the page itself does not tell. */
export function existingAccountEmail(origin: string): Email {
  return {
    subject: 'You have an account already',
    text: `Somebody, most likely you, has signed up to Hindsight with this address, which has an account. Sign in:\n\n${origin}/sign-in\n\nor choose a new password:\n\n${origin}/forgot\n\nIf it was not you, do nothing: nothing has changed.${FOOT}`,
  };
}

/** To whoever has forgotten their password. */
export function resetEmail(link: string): Email {
  return {
    subject: 'Choose a new password',
    text: `Somebody, most likely you, wants to choose a new password for this address's account at Hindsight. Do so here within an hour:\n\n${link}\n\nIf it was not you, do nothing: your password stays as it is.${FOOT}`,
  };
}

/** To an address that is to become an account's. */
export function newAddressEmail(link: string): Email {
  return {
    subject: 'Confirm your new address',
    text: `Somebody, most likely you, wants to use this address for their account at Hindsight. Confirm it here within a day, in the browser that is signed in:\n\n${link}\n\nIf it was not you, do nothing.${FOOT}`,
  };
}

/** To an address that was to become an account's and is another's already. */
export function addressTakenEmail(origin: string): Email {
  return {
    subject: 'You have an account already',
    text: `Somebody, most likely you, wanted to use this address for another account at Hindsight. It has an account of its own: sign in to it and delete it first.\n\n${origin}/sign-in${FOOT}`,
  };
}

/** Tells of a change, so that it is noticed if somebody else made it. */
export function noticeEmail(what: string, origin: string): Email {
  return {
    subject: what,
    text: `${what}, in your account at Hindsight. If it was you, all is well. If it was not, choose a new password at once:\n\n${origin}/forgot${FOOT}`,
  };
}

/** The last one. */
export function farewellEmail(): Email {
  return {
    subject: 'Your account is deleted',
    text: `Your account at Hindsight is deleted. The keys of its projects do not work any more.${FOOT}`,
  };
}
