/** Fills the list of codes in docs/guides/errors.md from the table of errors. */
import { ERROR_CASES, type ErrorCase } from '@hindsight/kernel/error-codes.ts';
import { errorBody, type ErrorStatus } from '@hindsight/kernel/errors.ts';

const LIST = /(<!-- errors -->\n)[\s\S]*?(<!-- end -->)/;

const HEAD = [
  '<!-- prettier-ignore -->',
  '| code | meaning | counted | retry |',
  '| --- | --- | --- | --- |',
];
const RETRY = { yes: 'yes', after: 'after `Retry-After`', no: 'no' } as const;

/** The page with its list as it must be. */
export function fillErrors(page: string): string {
  const cases = Object.entries<ErrorCase>(ERROR_CASES);
  const byStatus = Map.groupBy(cases, ([, { status }]) => status as ErrorStatus);
  const sections = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => {
      const { error } = errorBody(codes[0]![0] as keyof typeof ERROR_CASES, '');
      return [
        `## ${status} ${error}`,
        [...HEAD, ...codes.map(([code, about]) => row(code, about))].join('\n'),
      ];
    });
  return page.replace(
    LIST,
    (_, start: string, end: string) => `${start}\n${sections.flat().join('\n\n')}\n\n${end}`,
  );
}

function row(code: string, { meaning, counted, retry, by }: ErrorCase): string {
  const where = by === 'portal' ? ' Only in the portal.' : '';
  return `| \`${code}\` | ${meaning}${where} | ${counted ? 'yes' : 'no'} | ${RETRY[retry]} |`;
}
