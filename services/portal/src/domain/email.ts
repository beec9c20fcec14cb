/** The address of the HTML standard's e-mail fields, with a domain that has a dot. */
const ADDRESS =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;
const MAX_LENGTH = 254;

/** The one spelling by which an address is kept and compared; null for what is none. */
export function parseEmail(text: unknown): string | null {
  if (typeof text !== 'string') return null;
  const address = text.trim().toLowerCase();
  return address.length <= MAX_LENGTH && ADDRESS.test(address) ? address : null;
}
