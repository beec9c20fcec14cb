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

  const names = entriesOf(
    '# Names\n\n## Answer\n\n`holder_resolved_at` of `GET /v1/{network}/allowance/list` on eth-mainnet, for ERC-20, by getTokenBalance',
    'Names',
    '/docs/names',
  );

  it.each([
    ...['resolved', 'holder_resolved_at', 'holderResolvedAt', 'holder-resolved-at', 'holder resolved at'],
    ...[
      'allowance/list',
      'allowanceList',
      'list',
      'eth-mainnet',
      'ethMainnet',
      'mainnet',
      'erc20',
      'token-balance',
    ],
  ])('finds %j within a name, in whichever way it is written', (query) => {
    expect(search(names, query)).toMatchObject([{ title: 'Answer' }]);
  });

  it('shows the name that it found', () => {
    const far = entriesOf(
      `# Names\n\n## Answer\n\n${'word '.repeat(60)}\`holder_resolved_at\``,
      'Names',
      '/names',
    );
    expect(search(far, 'holderResolvedAt')[0]?.excerpt).toContain('holder_resolved_at');
  });

  it.each([
    ['alpha', 'right '],
    ['omega', ''],
    ['omega', 'x'.repeat(300)],
  ])('cuts no word of the excerpt around %s, before %j', (word, end) => {
    for (let shift = 0; shift < 12; shift++) {
      const text = `${'y'.repeat(shift)} ${'seven letters '.repeat(30)}${word} ${'behind them '.repeat(30)}${end}`;
      const [hit] = search(entriesOf(`# Names\n\n## Answer\n\n${text}`, 'Names', '/names'), word);
      const words = hit!.excerpt.replaceAll('…', '').split(' ');
      expect(words).toContain(word);
      expect(words.filter((each) => !['seven', 'letters', word, 'behind', 'them'].includes(each))).toEqual(
        [],
      );
    }
  });

  it('cuts a word that is longer than an excerpt', () => {
    const text = `${'x'.repeat(400)}-needle-${'x'.repeat(400)}`;
    const [hit] = search(entriesOf(`# Names\n\n## Answer\n\n${text}`, 'Names', '/names'), 'needle');
    expect(hit!.excerpt).toMatch(/^…x{79}-needle-x{73}…$/);
  });

  it.each(['atof', 'list on eth mainnetfor', 'resolvedat holder/of'])(
    'takes two words of the text for no name: %j',
    (query) => {
      expect(search(names, query)).toEqual([]);
    },
  );

  it.each(['', '   ', '--- /', 'nowhere', 'curl'])('finds nothing for %j', (query) => {
    expect(search(entries, query)).toEqual([]);
  });
});
