/** Commands of the pages that no other suite types. */
import { expect, it } from '@jest/globals';
import { PAGES } from './pages.ts';

const blocksOf = (text: string): string[] =>
  [...text.matchAll(/^( *)```(?:sh|bash)\n([\s\S]*?)^\1```$/gm)].map(([, , code = '']) => code);

it('no command has a secret among its arguments, which every user of the machine can read', () => {
  const found = PAGES.flatMap(({ path, text }) => blocksOf(text).map((code) => ({ path, code }))).filter(
    ({ code }) => /\s(?:-p "?\$|--password[= ]|--from-literal=)/.test(code),
  );
  expect(found).toEqual([]);
});
