/** Keeps the month's usage on the page up to date while it is visible, and says when its first request has arrived. */
import { renew } from './part.js';

const watch = document.querySelector('[data-watch]');
const SOON_MS = 2_000;
const LATE_MS = 60_000;
const SLOWER = 1.3;

let seen = { ...watch?.dataset };
let gap = SOON_MS;
let timer;

/** Asks less and less often while nothing changes, and not at all while the page is hidden. */
function plan(next) {
  clearTimeout(timer);
  gap = next;
  if (!document.hidden) timer = setTimeout(() => void look(), gap);
}

async function look() {
  try {
    const answer = await fetch(watch.dataset.watch, { headers: { accept: 'application/json' } });
    // Signed out in the meantime.
    if (answer.redirected) return;
    const { usage } = await answer.json();
    const now = usage && { used: String(usage.requests.used), ends: usage.period.end };
    if (now && (now.used !== seen.used || now.ends !== seen.ends)) {
      await renew('[data-usage]');
      if (seen.used === '0' && now.used !== '0') announce();
      seen = now;
      return plan(SOON_MS);
    }
  } catch {
    // The portal may be restarting.
  }
  plan(Math.min(gap * SLOWER, LATE_MS));
}

function announce() {
  watch.replaceChildren('Your request has arrived.');
}

if (watch) {
  document.addEventListener('visibilitychange', () => plan(SOON_MS));
  // A call that was copied is about to be made.
  document.addEventListener('copy', () => plan(SOON_MS));
  for (const button of document.querySelectorAll('[data-copy-call]'))
    button.addEventListener('click', () => plan(SOON_MS));
  plan(SOON_MS);
}
