/** Keeps orders up to date while the page is visible: requests the page again, and replaces their part of it. */
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
    if (answer.ok) replace(page.querySelector('[data-live]'));
  } catch {
    // The portal may be restarting.
  }
  plan();
}

/** Leaves an unchanged part alone, and otherwise keeps the keyboard's focus and the scroll position. */
function replace(fresh) {
  const old = document.querySelector('[data-live]');
  if (!fresh || fresh.innerHTML === old.innerHTML) return;
  const focused = old.contains(document.activeElement) && document.activeElement.getAttribute('href');
  const scrolled = old.querySelector('.scroll')?.scrollLeft ?? 0;
  old.replaceWith(document.adoptNode(fresh));
  const table = fresh.querySelector('.scroll');
  if (table) table.scrollLeft = scrolled;
  if (focused)
    [...fresh.querySelectorAll('a')].find((link) => link.getAttribute('href') === focused)?.focus();
}

document.addEventListener('visibilitychange', plan);
plan();
