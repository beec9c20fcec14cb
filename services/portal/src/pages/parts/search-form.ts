import { html, type Html } from '../html.ts';

/** Searches the guides and the reference. @param query what was searched before */
export function searchForm(query: string): Html {
  return html`<form class="search" role="search" action="/docs/search">
    <div class="field">
      <label for="q">Search the documentation</label>
      <input id="q" name="q" type="search" value="${query}" maxlength="100" autocomplete="off" />
    </div>
    <button type="submit">Search</button>
  </form>`;
}
