/** Keeps orders up to date while the page is visible: requests the page again, and replaces their part of it. */
import { replace } from './part.js';

const EVERY_MS = 5_000;
let timer;

function plan() {
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(() => void look(), EVERY_MS);
}

async function look() {
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
    // Signed out in the meantime.
    if (answer.redirected) return;
    const page = new globalThis.DOMParser().parseFromString(await answer.text(), 'text/html');
    if (answer.ok) update(page.querySelector('[data-live]'));
  } catch {
    // The portal may be restarting.
  }
  plan();
}

/** Leaves an unchanged part alone. */
function update(fresh) {
  const old = document.querySelector('[data-live]');
  if (fresh && fresh.innerHTML !== old.innerHTML) replace(old, fresh);
}

document.addEventListener('visibilitychange', plan);
plan();
