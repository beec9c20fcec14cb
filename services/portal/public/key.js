/** Show, hide and copy the API key. It is fetched on demand and kept in this page only. */
const section = document.querySelector('[data-key]');
const value = section?.querySelector('[data-key-value]');
const show = section?.querySelector('[data-key-show]');
const copy = section?.querySelector('[data-key-copy]');
const status = section?.querySelector('[data-key-status]');

let key = null;
let visible = false;
let coming = null;

/** The key; null if its owner must sign in first and is being redirected. @throws {Error} with a message for users */
async function reveal() {
  if (key !== null) return key;
  // Every reveal is audited: presses while one is under way share it.
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
  throw new Error(body.message ?? 'The key can’t be shown right now.');
}

function draw() {
  value.textContent = visible ? key : value.dataset.masked;
  show.textContent = visible ? 'Hide' : 'Show';
}

async function toggle() {
  if (!visible && (await reveal()) === null) return;
  visible = !visible;
  draw();
  say(visible ? 'Visible. This view was recorded in the audit log.' : '');
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
    say('Copying was blocked. Select the key and copy it.');
  }
}

function say(text) {
  status.textContent = text;
}

function onPress(action) {
  return () =>
    action().catch((error) => say(error.name === 'Error' ? error.message : 'The portal is unreachable.'));
}

show?.addEventListener('click', onPress(toggle));
copy?.addEventListener('click', onPress(copyKey));
