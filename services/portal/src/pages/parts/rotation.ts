import { DAY_MS, HOUR_MS } from '@hindsight/kernel/durations.ts';
import { html, type Html } from '../html.ts';
import { hidden } from './form.ts';

/** Grace periods of a rotated key. */
export const GRACES = [
  { ms: DAY_MS, title: '24 hours' },
  { ms: HOUR_MS, title: '1 hour' },
  { ms: 7 * DAY_MS, title: '7 days' },
  { ms: 0, title: 'Revoke immediately' },
] as const;

/** POST <path>/rotate {key, graceMs}: a new key replaces the current one. @param keyId where the path names no key */
export function rotationForm(path: string, keyId?: string): Html {
  return html`<form method="post" action="${path}/rotate">
    ${keyId && hidden('key', keyId)}
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
