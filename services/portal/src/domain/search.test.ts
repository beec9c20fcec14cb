import { describe, expect, it } from '@jest/globals';
import { entriesOf, search } from './search.ts';

const MARKDOWN = `# Limits

What the plan allows.

## Rate limits

Over a limit the answer is a \`429\`.

\`\`\`sh
curl rate
\`\`\`

### \`month_exceeded\`

The month has fewer [units](units.md) left.
`;
const entries = entriesOf(MARKDOWN, 'Limits', '/docs/limits');

describe('search', () => {
  it('finds headings first, with their address', () => {
    expect(search(entries, 'rate limit')).toEqual([
      {
        page: 'Limits',
        title: 'Rate limits',
        href: '/docs/limits#rate-limits',
        excerpt: expect.stringContaining('429'),
      },
    ]);
    expect(search(entries, 'limit')[0]?.title).toBe('Limits');
  });

  it('finds a code, and words of the text, without the marks of Markdown', () => {
    expect(search(entries, 'month_exceeded')).toMatchObject([
      { title: 'month_exceeded', href: '/docs/limits#month_exceeded' },
    ]);
    expect(search(entries, 'FEWER units')).toMatchObject([{ excerpt: 'The month has fewer units left.' }]);
  });

  it.each(['', '   ', 'nowhere', 'curl'])('finds nothing for %j', (query) => {
    expect(search(entries, query)).toEqual([]);
  });
});
