/** Show, hide and copy the Project ID. It is fetched when asked for and kept in this page only. */
const section = document.querySelector('[data-key]');
const value = section?.querySelector('[data-key-value]');
const show = section?.querySelector('[data-key-show]');
const copy = section?.querySelector('[data-key-copy]');
const status = section?.querySelector('[data-key-status]');

let key = null;
let visible = false;
let coming = null;

/** The key; null when its owner has to sign in first, and is on the way there. @throws {Error} with words for people */
async function reveal() {
  if (key !== null) return key;
  // Every look is written down: presses while it comes are one look.
  coming ??= ask().finally(() => (coming = null));
  key = await coming;
  return key;
}

async function ask() {
  const response = await fetch(section.dataset.path, {
    method: 'POST',
    headers: { accept: 'application/json' },
  });
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body.key;
  if (response.status === 403 && body.error === 'recent-login') {
    location.assign(section.dataset.again);
    return null;
  }
  throw new Error(body.message ?? 'It cannot be shown just now.');
}

function draw() {
  value.textContent = visible ? key : value.dataset.masked;
  show.textContent = visible ? 'Hide' : 'Show';
  show.setAttribute('aria-pressed', String(visible));
}

async function toggle() {
  if (!visible && (await reveal()) === null) return;
  visible = !visible;
  draw();
  say(visible ? 'Shown, and written into the list of what happened here.' : '');
}

async function copyKey() {
  const text = await reveal();
  if (text === null) return;
  try {
    await navigator.clipboard.writeText(text);
    say('Copied.');
  } catch {
    visible = true;
    draw();
    say('The browser does not let it be copied: select it.');
  }
}

function say(text) {
  status.textContent = text;
}

function onPress(action) {
  return () =>
    action().catch((error) => say(error.name === 'Error' ? error.message : 'The portal cannot be reached.'));
}

show?.addEventListener('click', onPress(toggle));
copy?.addEventListener('click', onPress(copyKey));
