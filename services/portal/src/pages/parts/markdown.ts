/**
 * Markdown of this repository's documents as markup. It knows their syntax and no more; HTML in them is shown
 * as text.
 */
import { marked, type Token, type Tokens } from 'marked';
import { anchorOf, createAnchors } from '../../domain/anchor.ts';
import { html, type Html } from '../html.ts';
import { codeBox } from './code-box.ts';
import { scrollTable } from './table.ts';

/** A document, cut at its second-level headings; `lead` is what stands before the first of them, without the title. */
export function readDocument(markdown: string) {
  const lead: Html[] = [];
  const sections: { title: string; id: string; body: Html[] }[] = [];
  const ids = createIds();
  for (const token of marked.lexer(markdown)) {
    if (isHeading(token) && token.depth === 1) continue;
    if (isHeading(token) && token.depth === 2) {
      sections.push({ title: token.text, id: ids.heading(token.text), body: [] });
      continue;
    }
    const made = block(token, ids);
    if (made !== null) (sections.at(-1)?.body ?? lead).push(made);
  }
  return { lead, sections };
}

/** A document's sections for a page, each under its title in the margin. */
export function sectionsOf({ sections }: ReturnType<typeof readDocument>): readonly Html[] {
  return sections.map(
    ({ title, id, body }) =>
      html`<section aria-labelledby="${id}">
        <h2 id="${id}">${title}</h2>
        ${body}
      </section>`,
  );
}

type Ids = ReturnType<typeof createIds>;

/** The ids of a page's parts, each given once. */
function createIds() {
  let blocks = 0;
  return { heading: createAnchors(), code: () => `code-${(blocks += 1)}` };
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading';

function block(token: Token, ids: Ids): Html | null {
  switch (token.type) {
    case 'heading':
      return html`<h3 id="${ids.heading((token as Tokens.Heading).text)}">${inline(token)}</h3>`;
    case 'paragraph':
      return html`<p>${inline(token)}</p>`;
    case 'code':
      return code(token as Tokens.Code, ids);
    case 'list':
      return list(token as Tokens.List, ids);
    case 'table':
      return table(token as Tokens.Table);
    case 'blockquote':
      return html`<div class="notice">${(token.tokens ?? []).map((part) => block(part, ids))}</div>`;
    case 'space':
      return null;
    case 'html':
      // A comment: the marks of what is generated.
      if (/^<!--[^>]*-->\s*$/.test(token.raw)) return null;
      return html`<p>${token.raw}</p>`;
    default:
      return html`<p>${token.raw}</p>`;
  }
}

function code({ text, lang }: Tokens.Code, ids: Ids): Html {
  return codeBox({ id: ids.code(), text, label: lang === 'json' ? 'An answer' : 'Code' });
}

function list({ ordered, items }: Tokens.List, ids: Ids): Html {
  const entries = items.map(
    ({ tokens }) =>
      html`<li>${tokens.map((part) => (part.type === 'text' ? inline(part) : block(part, ids)))}</li>`,
  );
  return ordered
    ? html`<ol>
        ${entries}
      </ol>`
    : html`<ul>
        ${entries}
      </ul>`;
}

function table({ header, rows }: Tokens.Table): Html {
  return scrollTable({
    label: 'Table',
    columns: header.map(inline),
    rows: rows.map(
      (row) =>
        html`<tr ${header[0]?.text === 'code' && anchoredBy(row[0])}>
          ${row.map((cell) => html`<td>${inline(cell)}</td>`)}
        </tr>`,
    ),
  });
}

/** The row of a code is found by it: errors link there. */
function anchoredBy(cell: Tokens.TableCell | undefined): Html {
  return html`id="${anchorOf(cell?.text ?? '')}"`;
}

function inline(token: { readonly tokens?: readonly Token[] } | Token): Html {
  const tokens = 'tokens' in token ? (token.tokens as readonly Token[] | undefined) : undefined;
  if (tokens !== undefined) return html`${tokens.map(span)}`;
  return html`${'text' in token ? String(token.text) : ''}`;
}

function span(token: Token): Html {
  switch (token.type) {
    case 'strong':
      return html`<strong>${inline(token)}</strong>`;
    case 'em':
      return html`<em>${inline(token)}</em>`;
    case 'codespan':
      return html`<code>${(token as Tokens.Codespan).text}</code>`;
    case 'link':
      return html`<a href="${(token as Tokens.Link).href}">${inline(token)}</a>`;
    case 'br':
      return html`<br />`;
    default:
      return token.type === 'text' && 'tokens' in token ? inline(token) : html`${unescaped(token)}`;
  }
}

const unescaped = (token: Token): string => ('text' in token ? String(token.text) : token.raw);
