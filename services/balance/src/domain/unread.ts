/** Contracts of which an answer says nothing, and why. */

/** Why a contract or a row of it could not be read, or what was read means nothing. */
export type UnreadReason = keyof typeof UNREAD_REASONS;

/** The reasons, as the reference explains them. */
export const UNREAD_REASONS = {
  too_costly: 'it uses too much gas to be read',
  no_answer: 'it reverted, or returned no number: a token that is paused, or no token',
  not_asked: 'it failed in a call that others shared, as too many did to ask each of them alone',
  unclear_standard: 'it returned a number, but is of no standard that says what the number means',
  cut: 'events name more of its ids than were asked about on this page; what is listed of it is right',
} as const;
