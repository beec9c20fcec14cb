import type { Rule } from 'eslint';

const OPENING = /^(?:What|Whether|How|Where|Which)\b/;

/** Text of a comment's first line with words, without the marks before it. */
const textOf = (value: string): string => value.replace(/^[\s*]+/, '');

/** Refuses comments that begin with a relative clause (docs/style.md, 3: subject first). */
export const opening: Rule.RuleModule = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      opening:
        'Begin a comment with a verb or a noun, not with "{{word}}": "True if X" for "Whether X", the noun for "What X".',
    },
  },
  create: (context) => ({
    Program() {
      let previous: { readonly type: string; readonly line: number } | undefined;
      for (const comment of context.sourceCode.getAllComments()) {
        const { type, value, loc } = comment;
        if (!loc) continue;
        // A sentence goes on over line comments that follow each other: only the first of them begins one.
        const continues =
          type === 'Line' && previous?.type === 'Line' && previous.line === loc.start.line - 1;
        previous = { type, line: loc.end.line };
        const word = OPENING.exec(textOf(value))?.[0];
        if (word !== undefined && !continues) context.report({ loc, messageId: 'opening', data: { word } });
      }
    },
  }),
};
