import { describe, expect, it } from '@jest/globals';
import { Linter } from 'eslint';
import { opening } from '../lint/comments.ts';

const faultsOf = (code: string): string[] =>
  new Linter()
    .verify(code, { plugins: { comments: { rules: { opening } } }, rules: { 'comments/opening': 'error' } })
    .map(({ line, message }) => `${String(line)}: ${message}`);

describe('the opening of a comment', () => {
  it.each(['What', 'Whether', 'How', 'Where', 'Which'])('is refused where it is "%s"', (word) => {
    const fault = expect.stringContaining(`1: Begin a comment with a verb or a noun, not with "${word}"`);
    for (const code of [
      `/** ${word} it is. */`,
      `/**\n * ${word} it is.\n */`,
      `/* ${word} it is. */`,
      `// ${word} it is.`,
      `f(); // ${word} it is.`,
    ]) {
      expect(faultsOf(code)).toEqual([fault]);
    }
  });

  it('is a verb, a noun, or a longer word', () => {
    expect(faultsOf('/** True if it is. */\n// Reads it, where it is.\n/* However. */')).toEqual([]);
  });

  it('is on the first of line comments that follow each other', () => {
    expect(faultsOf('// The first line of a sentence,\n// Which goes on.')).toEqual([]);
    expect(faultsOf('// One sentence.\n\n// Which it is.')).toHaveLength(1);
    expect(faultsOf('/** One. */\n// Which it is.')).toHaveLength(1);
  });
});
