/** The address syntax of the HTML standard's email fields, with a dot in the domain. */
const ADDRESS =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;
const MAX_LENGTH = 254;

/** Shown at a field whose text is no address. */
export const INVALID_EMAIL = 'Enter a valid email address.';

/** The canonical spelling of an address; null if it is invalid. */
export function parseEmail(text: unknown): string | null {
  if (typeof text !== 'string') return null;
  const address = text.trim().toLowerCase();
  return address.length <= MAX_LENGTH && ADDRESS.test(address) ? address : null;
}
