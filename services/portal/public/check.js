/** Checks an answer in the reader's browser: it calls no server. */
import { groupDigits } from './demo/amounts.js';
import { verify } from './generated/verify.js';

/** A proof takes some 30 KB. */
const MAX_LENGTH = 1024 * 1024;

const SHARES_ONLY =
  'The proof holds, for the shares alone: the balance, which the token computes from them, is not proven.';

const byId = (id) => document.getElementById(id);

byId('check').addEventListener('submit', (event) => {
  event.preventDefault();
  show(check());
});

function check() {
  const text = byId('answer').value;
  const index = byId('index').value.trim();
  const layout = byId('layout').value || undefined;
  if (text.length > MAX_LENGTH)
    return { message: `the answer is too long: expected at most ${MAX_LENGTH} characters` };
  try {
    const known = index === '' ? {} : { index: /^\d{1,78}$/.test(index) ? BigInt(index) : NaN };
    const shares = byId('shares').checked;
    return verify(JSON.parse(text), { blockHash: byId('hash').value.trim(), shares, layout, ...known });
  } catch {
    return { message: 'the answer is not JSON' };
  }
}

function show(result) {
  const verdict = byId('verdict');
  verdict.className = result.verified ? 'notice good' : 'notice bad';
  const proven = result.shares === undefined ? 'The proof holds.' : SHARES_ONLY;
  verdict.textContent = result.verified ? proven : `Not proven: ${result.message}.`;
  byId('result').dataset.state = result.verified ? 'verified' : 'refused';
  byId('proven').hidden = !result.verified;
  if (!result.verified) return;
  const { amount, shares, token, accounts, block, slot } = result;
  const known = {
    Amount: shares === undefined ? groupDigits(amount) : `${groupDigits(shares)} shares`,
    Of: [token ?? 'ether', ...accounts].join(', '),
    Block: `${groupDigits(block.number)}, ${block.hash}`,
    Time: `${new Date(block.timestamp * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`,
    Slot: slot === null ? 'none: the account has it' : `${slot.key} (${placeOf(slot)})`,
  };
  for (const [title, text] of Object.entries(known))
    document.querySelector(`[data-fact="${title}"]`).textContent = text;
}

function placeOf({ layout, index }) {
  return index === null ? layout : `${layout} ${index}`;
}
