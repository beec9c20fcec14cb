/** Rules of this house that no library has, for the linter. */
import type { RuleTester } from 'oxlint/plugins-dev';

type Rule = Parameters<RuleTester['run']>[1];

const OPENING = /^(?:What|Whether|How|Where|Which)\b/;

/** Text of a comment's first line with words, without the marks before it. */
const textOf = (value: string): string => value.replace(/^[\s*]+/, '');

/** Refuses comments that begin with a relative clause (docs/style.md, 3: subject first). */
const commentOpening: Rule = {
  create: (context) => ({
    Program() {
      let previous: { readonly type: string; readonly line: number } | undefined;
      for (const { type, value, loc } of context.sourceCode.getAllComments()) {
        // A sentence goes on over line comments that follow each other: only the first of them begins one.
        const continues =
          type === 'Line' && previous?.type === 'Line' && previous.line === loc.start.line - 1;
        previous = { type, line: loc.end.line };
        const word = OPENING.exec(textOf(value))?.[0];
        if (word === undefined || continues) continue;
        const message = `Begin a comment with a verb or a noun, not with "${word}": "True if X" for "Whether X", the noun for "What X".`;
        context.report({ loc, message });
      }
    },
  }),
};

/** Refuses `export *`: a module names what it exports. */
const noBarrel: Rule = {
  create: (context) => ({
    ExportAllDeclaration(node) {
      context.report({ node, message: 'No barrel files: name what you export.' });
    },
  }),
};

export default {
  meta: { name: 'house' },
  rules: { 'comment-opening': commentOpening, 'no-barrel': noBarrel },
};
