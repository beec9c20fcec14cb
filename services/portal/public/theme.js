/**
 * Of every page: the menus, forms that are sent once, what is said of refused cookies, and the switch of colours, kept in
 * a cookie so that the server knows it.
 */
const COOKIE = 'hindsight-theme';
const YEAR = 31_536_000;
const ORDER = ['auto', 'light', 'dark'];
/** Longer than any double click, and than most answers take. */
const SENT_MS = 10_000;
const WORDS = { auto: 'Auto', light: 'Light', dark: 'Dark' };

const root = document.documentElement;
const button = document.querySelector('[data-theme-switch]');

function show() {
  const theme = root.dataset.theme ?? 'auto';
  const label = `Colours: ${WORDS[theme].toLowerCase()}. Change.`;
  button.textContent = '◐';
  button.title = label;
  button.setAttribute('aria-label', label);
}

function change() {
  const next = ORDER[(ORDER.indexOf(root.dataset.theme) + 1) % ORDER.length];
  root.dataset.theme = next;
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  document.cookie = `${COOKIE}=${next}; Path=/; SameSite=Lax; Max-Age=${next === 'auto' ? 0 : YEAR}${secure}`;
  document.querySelector('meta[name=color-scheme]').content = next === 'auto' ? 'light dark' : next;
  dispatchEvent(new Event('themechange'));
  show();
}

/** Menus close by Escape, and by a click or the focus anywhere else, which they would hide. */
function closeMenus(except) {
  for (const menu of document.querySelectorAll('.menu[open]')) if (!menu.contains(except)) menu.open = false;
}

for (const kind of ['click', 'focusin']) addEventListener(kind, ({ target }) => closeMenus(target));
addEventListener('keydown', ({ key, target }) => {
  if (key !== 'Escape') return;
  target.closest?.('.menu')?.querySelector('summary').focus();
  closeMenus(null);
});

/** The second of two clicks would create a second key, or find the link used. */
let sent = new WeakMap();
addEventListener('submit', (event) => {
  const { target: form, timeStamp } = event;
  if (event.defaultPrevented || form.method !== 'post') return;
  if (timeStamp - (sent.get(form) ?? -SENT_MS) < SENT_MS) event.preventDefault();
  else sent.set(form, timeStamp);
});
// A page that comes back as it was left is a new beginning: the form may be sent once more.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) sent = new WeakMap();
});

if (!navigator.cookieEnabled)
  for (const note of document.querySelectorAll('[data-without-cookies]')) note.hidden = false;

if (button) {
  show();
  button.hidden = false;
  button.addEventListener('click', change);
}
