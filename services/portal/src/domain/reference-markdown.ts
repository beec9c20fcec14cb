/** The reference as Markdown, for programs and for its pages. Pure. */
import { operationsOf, type Field, type Operation, type Reference } from './reference.ts';

const FENCES: Readonly<Record<string, string>> = { curl: 'sh', TypeScript: 'ts', Python: 'python', Go: 'go' };

export function operationMarkdown(operation: Operation): string {
  const { title, method, path, certainty, description, parameters, body, samples, answer, errors } =
    operation;
  const isJson = answer.types[0] === 'application/json';
  return [
    `# ${title}`,
    `\`${method} ${path}\`${certainty === null ? '' : `: ${certainty}`}`,
    description,
    ...section('Parameters', fieldTable('parameter', parameters)),
    ...(body === null
      ? []
      : ['## Body', `Sent as ${list(body.types)}.`, ...fieldTable('field', body.fields)]),
    '## Examples',
    ...samples.flatMap(({ label, source }) => [
      `### ${label}`,
      fenced(FENCES[label] ?? '', source.trimEnd()),
    ]),
    '## Answer',
    `${answer.status}: ${answer.description}. Sent as ${list(answer.types)}.`,
    ...(answer.example === null ? [] : [fenced(isJson ? 'json' : '', answer.example)]),
    ...fieldTable('field', answer.fields),
    '## Errors',
    [
      '| status | when | codes |',
      '| --- | --- | --- |',
      ...errors.map(
        ({ status, description: when, codes }) =>
          `| ${status} | ${cell(when)} | ${codes.map((code) => `[\`${code}\`](/docs/errors#${code})`).join(', ')} |`,
      ),
    ].join('\n'),
    '',
  ].join('\n\n');
}

export function referenceMarkdown(reference: Reference): string {
  const operations = operationsOf(reference);
  return [
    '# API reference',
    reference.introduction,
    overview(operations),
    ...operations.map((each) => deeper(operationMarkdown(each))),
  ].join('\n\n');
}

/** Every endpoint, with the certainty of its answer. */
function overview(operations: readonly Operation[]): string {
  const rows = operations.map(
    ({ title, method, path, certainty }) => `| ${title} | \`${method} ${path}\` | ${certainty ?? ''} |`,
  );
  return ['| endpoint | request | certainty |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Headings a level down: the document around them has a title. */
function deeper(markdown: string): string {
  return markdown.replaceAll(/^```[\s\S]*?^```$|^(?=#+ )/gm, (found) => (found === '' ? '#' : found));
}

function section(title: string, content: readonly string[]): readonly string[] {
  return content.length === 0 ? [] : [`## ${title}`, ...content];
}

function fieldTable(what: string, fields: readonly Field[]): readonly string[] {
  if (fields.length === 0) return [];
  const rows = fields.map(
    ({ name, type, required, description }) =>
      `| \`${name}\`${what === 'parameter' && required ? ' (required)' : ''} | ${cell(type)} | ${cell(description)} |`,
  );
  return [[`| ${what} | type | meaning |`, '| --- | --- | --- |', ...rows].join('\n')];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function list(types: readonly string[]): string {
  return types.map((type) => `\`${type}\``).join(' or ');
}
