/** Signing in with the browser's wallet (EIP-1193): the portal says what to sign (EIP-4361), the wallet signs it. */
const REJECTED = 4001;

for (const button of document.querySelectorAll('[data-wallet]')) {
  button.addEventListener('click', () => {
    if (!button.ariaDisabled) void signIn(button);
  });
}

async function signIn(button) {
  const status = button.parentElement.querySelector('[data-wallet-status]');
  const say = (text) => (status.textContent = text);
  const wallet = globalThis.ethereum;
  if (!wallet) return say('No wallet found in this browser. Install one, or sign in another way.');
  // A disabled button would lose the focus.
  button.ariaDisabled = true;
  try {
    say('Choose an account in your wallet.');
    const [address] = await wallet.request({ method: 'eth_requestAccounts' });
    const { next: then, account, messageUrl, verifyUrl } = button.dataset;
    const { message, next: first } = await post(messageUrl, { address, account });
    // A new sign-in comes before a link.
    if (first) return location.assign(first);
    say('Sign the message in your wallet. It costs nothing and moves nothing.');
    const signature = await wallet.request({ method: 'personal_sign', params: [hexOf(message), address] });
    const { next, same } = await post(verifyUrl, { message, signature, next: then, account });
    // A form that waited for this continues by itself.
    const waiting = document.querySelector('form[data-then^="/"]');
    if (!same || waiting === null) return location.assign(next);
    waiting.action = waiting.dataset.then;
    waiting.submit();
  } catch (error) {
    say(error?.code === REJECTED ? 'Not signed. Nothing was changed.' : wordsOf(error));
  } finally {
    button.ariaDisabled = null;
  }
}

/** @throws {Error} with a message for people */
async function post(url, body) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.message ?? 'The portal rejected this.');
  return answer;
}

function hexOf(text) {
  const bytes = new TextEncoder().encode(text);
  return `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function wordsOf(error) {
  return error instanceof TypeError
    ? 'The portal is unreachable.'
    : (error?.message ?? 'Something went wrong.');
}
