/** Show, hide and copy the API key, alone or in a call. It is fetched on demand and kept in this page only. */
import { renew } from './part.js';

const form = document.querySelector('[data-key]');
const value = form?.querySelector('[data-key-value]');
const show = form?.querySelector('[data-key-show]');
const status = form?.querySelector('[data-key-status]');
const PLACEHOLDER = 'YOUR_API_KEY';
/** Buttons that copy a call, with the element of its code, and the code without a key. */
const calls = [...document.querySelectorAll('[data-copy-call]')].map((button) => {
  const code = document.getElementById(button.dataset.copyCall);
  return { button, code, text: code.textContent };
});

let key = null;
let visible = false;
let coming = null;

/** The key; null if its owner must sign in first: then the form is on its way. @throws {Error} with a message for users */
async function reveal(button) {
  if (key !== null) return key;
  // Every reveal is audited: presses while one is under way share it.
  coming ??= ask(button).finally(() => (coming = null));
  key = await coming;
  return key;
}

async function ask(button) {
  const response = await fetch(form.action, { method: 'POST', headers: { accept: 'application/json' } });
  const body = await response.json().catch(() => ({}));
  if (response.ok) {
    // It has a new line. The page's own is old otherwise, but true.
    renew('[data-audit]').catch(() => undefined);
    return body.key;
  }
  if (response.status === 403 && body.error === 'recent-login') {
    sending = true;
    form.requestSubmit(button);
    return null;
  }
  throw new Error(body.message ?? 'The key can’t be shown right now.');
}

function draw() {
  value.textContent = visible ? key : value.dataset.masked;
  show.textContent = visible ? 'Hide' : 'Show';
  for (const { code, text } of calls) code.textContent = visible ? withKey(text) : text;
}

async function toggle() {
  if (!visible && (await reveal(show)) === null) return;
  visible = !visible;
  draw();
  say(visible ? 'Visible. This view was recorded in the audit log.' : '');
}

function withKey(text) {
  return text.replaceAll(PLACEHOLDER, key);
}

/** Copies the key, or `call`, a text, with the key in it. */
async function copy(button, call) {
  if ((await reveal(button)) === null) return;
  try {
    await navigator.clipboard.writeText(call ? withKey(call.trim()) : key);
    say(call ? 'Copied with your key.' : 'Copied.');
  } catch {
    visible = true;
    draw();
    say('Copying was blocked. Select the key and copy it.');
  }
}

function say(text) {
  status.textContent = text;
}

function run(work) {
  work.catch((error) => say(error.name === 'Error' ? error.message : 'The portal is unreachable.'));
}

let sending = false;
form?.addEventListener('submit', (event) => {
  if (sending) return;
  event.preventDefault();
  const copyButton = form.querySelector('[data-key-copy]');
  run(event.submitter === copyButton ? copy(copyButton) : toggle());
});
for (const { button, text } of calls)
  button.addEventListener('click', () => run(copy(form.querySelector('[data-key-copy]'), text)));

// The page that the form opened: a reload must not send it again.
if (form && form.dataset.then !== '') {
  history.replaceState(null, '', form.dataset.key);
  key = value.textContent.trim();
  visible = true;
  draw();
  if (form.dataset.then === 'copy') run(copy());
}
