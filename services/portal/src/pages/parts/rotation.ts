import { GRACES } from '../../domain/graces.ts';
import { html, type Html } from '../html.ts';

/** POST <path>/rotate {graceMs}: a new key takes the place of the current one. */
export function rotationForm(path: string): Html {
  return html`<form method="post" action="${path}/rotate">
    <p>Creates a new key. The current one keeps working for the time you choose.</p>
    <div class="field">
      <label for="grace">Keep the current key for</label>
      <select id="grace" name="graceMs">
        ${GRACES.map(({ ms, title }) => html`<option value="${ms}">${title}</option>`)}
      </select>
    </div>
    <div class="actions"><button type="submit" class="danger">Rotate key</button></div>
  </form>`;
}
