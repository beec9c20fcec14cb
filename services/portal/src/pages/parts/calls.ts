import { html, type Html } from '../html.ts';
import { codeBox } from './code-box.ts';

/** A request in several languages, to copy. */
interface Calls {
  /** Unique on its page. */
  readonly id: string;
  readonly url: string;
  /** Placeholder of the key. */
  readonly key: string;
  /** `with-key`: the key is put in its place. */
  readonly copies?: 'text' | 'with-key';
}

/**
 * Tabs that work without scripts: radio buttons, and a style sheet that shows the panel of the checked one.
 */
export function calls({ id, url, key, copies = 'text' }: Calls): Html {
  const languages = [
    ['curl', `curl -H 'x-api-key: ${key}' '${url}'`],
    ['TypeScript', typescript(url, key)],
    ['Python', python(url, key)],
  ] as const;
  const idOf = (language: string) => `${id}-${language.toLowerCase()}`;
  return html`<fieldset class="tabs">
    <legend class="unseen">Language</legend>
    ${languages.map(
      ([language], i) =>
        html`<input
            type="radio"
            name="${id}"
            id="${idOf(language)}-tab"
            autocomplete="off"
            ${i === 0 && html`checked`}
          /><label for="${idOf(language)}-tab">${language}</label>`,
    )}
    ${languages.map(([language, text]) =>
      codeBox({
        id: idOf(language),
        label: `The request in ${language}`,
        text,
        button: copies === 'text' ? 'Copy' : 'Copy with key',
        copies,
      }),
    )}
  </fieldset>`;
}

function typescript(url: string, key: string): string {
  return [
    `const response = await fetch('${url}', {`,
    `  headers: { 'x-api-key': '${key}' },`,
    '});',
    'if (!response.ok) throw new Error((await response.json()).message);',
    'console.log(await response.json());',
  ].join('\n');
}

function python(url: string, key: string): string {
  return [
    'import json, urllib.request',
    '',
    'request = urllib.request.Request(',
    `    "${url}",`,
    `    headers={"x-api-key": "${key}"},`,
    ')',
    'print(json.load(urllib.request.urlopen(request)))',
  ].join('\n');
}
