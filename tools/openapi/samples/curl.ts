import { KEY_VARIABLE, type Language, type SampleRequest } from './request.ts';

/** Retries what may be retried, as `Retry-After` says; an error ends it with status 22, and its body is shown. */
export const curl: Language = {
  lang: 'Shell',
  label: 'curl',
  write({ method, url, query, body, lines, file }: SampleRequest): string {
    const search = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const options = [
      `curl -sS${lines ? 'N' : ''} --fail-with-body --retry 3`,
      `-H "x-api-key: $${KEY_VARIABLE}"`,
      ...(file === undefined ? [] : [`-D - -o ${file}`]),
      ...(body === undefined
        ? method === 'GET'
          ? []
          : [`-X ${method}`]
        : [`-H 'content-type: ${body.type}'`, `--data-binary '${body.text.replaceAll("'", `'\\''`)}'`]),
      `'${url}${search.length > 0 ? `?${search.join('&')}` : ''}'`,
    ];
    return `${options.join(' \\\n  ')}\n`;
  },
};
