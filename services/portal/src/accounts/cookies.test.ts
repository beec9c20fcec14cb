import { afterEach, expect, it, jest } from '@jest/globals';
import { createCookies } from './cookies.ts';

const SECRET = 'a'.repeat(43);

afterEach(() => {
  jest.restoreAllMocks();
});

it('finds its own cookies among others', () => {
  const cookies = createCookies(true);
  const header = `theme=dark; __Host-hindsight-session=${SECRET}; __Host-hindsight-browser=${SECRET}1`;
  expect([cookies.session(header), cookies.browser(header)]).toEqual([SECRET, `${SECRET}1`]);
  expect(createCookies(false).session(header)).toBeUndefined();
});

it('keeps the address that a link was sent to, and takes no other text for one', () => {
  const cookies = createCookies(false);
  const [cookie] = cookies.setAddressee('alice+tax@example.org').split(';');
  expect(cookies.addressee(cookie)).toBe('alice+tax@example.org');
  expect(cookies.addressee('hindsight-addressee=a%40b.org')).toBeUndefined();
  expect(cookies.addressee(`hindsight-addressee=${'a'.repeat(401)}`)).toBeUndefined();
});

it('decodes nothing: thousands of broken escapes in one header must not cost an exception each', () => {
  const decode = jest.spyOn(globalThis, 'decodeURIComponent');
  const junk = Array.from({ length: 1_900 }, (_, i) => `a${i}=%`).join('; ');
  expect(createCookies(false).session(`${junk}; hindsight-session=${SECRET}`)).toBe(SECRET);
  expect(decode).not.toHaveBeenCalled();
});
