import { KEY_VARIABLE, type Language, type SampleRequest } from './request.ts';

/** With `fetch`, so that it runs in Node, Deno, Bun and browsers, without a library. */
export const typescript: Language = {
  lang: 'TypeScript',
  label: 'TypeScript',
  write({ method, url, query, body, lines, file }: SampleRequest): string {
    const pairs = Object.entries(query).map(([name, value]) => `  ${name}: ${quoted(value)},`);
    const headers = [`'x-api-key': process.env.${KEY_VARIABLE} ?? ''`];
    if (body !== undefined) headers.push(`'content-type': '${body.type}'`);
    return [
      ...(file === undefined ? [] : ["import { writeFile } from 'node:fs/promises';", '']),
      ...(pairs.length === 0 ? [] : ['const query = new URLSearchParams({', ...pairs, '});']),
      `const response = await fetch(${pairs.length === 0 ? `'${url}'` : `\`${url}?\${query}\``}, {`,
      ...(method === 'GET' ? [] : [`  method: '${method}',`]),
      `  headers: { ${headers.join(', ')} },`,
      ...(body === undefined ? [] : [`  body: ${bodyOf(body)},`]),
      '});',
      'if (!response.ok) {',
      '  const { code, message, request_id } = await response.json();',
      '  throw new Error(`${code}: ${message} (request ${request_id})`);',
      '}',
      used(lines, file),
      '',
    ].join('\n');
  },
};

/** The line that takes the answer. */
function used(lines: boolean, file: string | undefined): string {
  if (file !== undefined) return `await writeFile('${file}', response.body!);`;
  if (lines) return 'for await (const chunk of response.body!) process.stdout.write(chunk);';
  return 'console.log(JSON.stringify(await response.json(), null, 2));';
}

function bodyOf({ type, text }: NonNullable<SampleRequest['body']>): string {
  if (type !== 'application/json') return quoted(text);
  return `JSON.stringify(${JSON.stringify(JSON.parse(text), null, 2).replaceAll('\n', '\n  ')})`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}
