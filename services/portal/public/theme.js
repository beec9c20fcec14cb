/** The switch of colours: of the system, light, dark. The choice is kept in a cookie, so that the server writes it. */
const COOKIE = 'hindsight-theme';
const YEAR = 31_536_000;
const ORDER = ['auto', 'light', 'dark'];
const WORDS = { auto: 'Auto', light: 'Light', dark: 'Dark' };

const root = document.documentElement;
const button = document.querySelector('[data-theme-switch]');

function show() {
  const theme = root.dataset.theme ?? 'auto';
  button.textContent = `◐ ${WORDS[theme]}`;
  button.setAttribute('aria-label', `Colours: ${WORDS[theme].toLowerCase()}. Change.`);
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

if (button) {
  show();
  button.hidden = false;
  button.addEventListener('click', change);
}
