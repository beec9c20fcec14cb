/**
 * A wallet at a date: its holdings and open approvals at one block, by two calls from the reader's browser.
 */
import { groupDigits, shortAmount } from './demo/amounts.js';
import { createClient, Refusal, wait } from './demo/client.js';

/** Such an allowance is never used up. */
const UNLIMITED = 2n ** 255n;
const PERMIT2_UNLIMITED = 2n ** 160n - 1n;

const byId = (id) => document.getElementById(id);
const form = byId('question');
const [holder, date, block] = ['holder', 'date', 'block'].map((name) => form.elements[name]);
const settings = JSON.parse(form.dataset.settings);
const client = createClient(settings, {
  fetch: (url, init) => fetch(url, init),
  wait,
  now: () => performance.now(),
  onWait: (seconds) => say(`The shared demo key is busy. Continuing in ${seconds} s.`),
});

function say(text) {
  byId('then').textContent = text;
}

/** The moment of the fields, in the API's parameters. */
function when() {
  if (/^\d+$/.test(block.value)) return { block_height: block.value };
  return date.value ? { date: `${date.value.padEnd(19, ':00')}Z` } : {};
}

async function ask() {
  byId('whose').textContent = holder.value;
  say('Asking…');
  try {
    const held = await client.ask({ endpoint: 'portfolio', params: { holder: holder.value, ...when() } });
    showHeld(held.json);
    // The same block, even after a reorganisation.
    const params = { owner: held.json.holder, block_hash: held.json.block_hash };
    showOpen((await client.ask({ endpoint: 'allowance/list', params })).json, held.json);
    byId('statement').dataset.state = 'known';
  } catch (error) {
    say('No result.');
    byId('statement').dataset.state = 'absent';
    byId('trouble').hidden = false;
    byId('trouble').textContent =
      error instanceof Refusal ? error.message : 'Something went wrong. Reload the page.';
  }
}

function showHeld(answer) {
  const { checked_at_block: height, checked_at_date: time } = answer;
  const day = new Date(time).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  say(`on ${day} at ${time.slice(11, 19)} UTC, block ${groupDigits(height)}`);
  const facts = {
    Block: groupDigits(height),
    Time: `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`,
    Finality: answer.finalized ? 'final' : 'not final yet',
    'Block hash': answer.block_hash,
  };
  for (const [title, text] of Object.entries(facts))
    document.querySelector(`[data-fact="${title}"]`).textContent = text;
  const { symbol, decimals } = settings.coin;
  const coin = {
    token_name: symbol === 'ETH' ? 'Ether' : symbol,
    token_symbol: symbol,
    token_decimals: decimals,
    balance: answer.native_balance,
  };
  byId('held').replaceChildren(
    ...[coin, ...answer.tokens].map((token) =>
      row(assetOf(token), typeOf(token), amountOf(token.balance, token)),
    ),
  );
  const network = settings.several ? { network: settings.network } : {};
  const query = new URLSearchParams({ ...network, holder: holder.value, block: height });
  history.replaceState(null, '', `?${query}`);
  byId('share').textContent = location.href;
}

function showOpen({ allowances, asked }, held) {
  const rows = allowances.map((token) => row(assetOf(token), spenderOf(token), allowanceOf(token)));
  byId('open').replaceChildren(...(rows.length > 0 ? rows : [emptyRow('None were open.')]));
  byId('asked').textContent = askedOf(held.asked, asked);
}

/** The scope of the answer: exact for the contracts read, without a claim about others. */
function askedOf(held, open) {
  const from = Math.max(held.from_block, open.from_block);
  const contracts = `${groupDigits(held.tokens.length)} token contracts and ${groupDigits(open.pairs)} approvals were read, found by their events`;
  const unread = held.unread.length + open.unread.length;
  return [
    held.complete && open.complete ? `${contracts}.` : `${contracts} from block ${groupDigits(from)} on.`,
    unread > 0 ? `${groupDigits(unread)} could not be read.` : '',
    open.cut.length > 0
      ? `Of ${groupDigits(open.cut.length)} contracts only the newest approvals were read.`
      : '',
  ].join(' ');
}

function assetOf({ token_symbol: symbol, token_name: name, token_address: address, token_id: id }) {
  const asset = document.createElement('span');
  asset.append(element('strong', symbol || name || 'unnamed'), id === undefined ? '' : ` #${id}`);
  if (symbol && name && name !== symbol) asset.append(` ${name}`);
  if (address) asset.append(element('span', address, 'figure address'));
  return asset;
}

function typeOf({ token_type: type }) {
  return type ? type.replace(/^erc/, 'ERC-') : 'native';
}

function amountOf(units, { token_decimals: decimals }) {
  return element('span', shortAmount(BigInt(units), decimals ?? 0), 'figure');
}

function spenderOf({ spender, via, expired }) {
  const cell = element('span', spender, 'figure');
  if (via === 'permit2') cell.append(expired ? ' via Permit2, expired' : ' via Permit2');
  return cell;
}

function allowanceOf(token) {
  if (token.allowance === null) return element('span', 'all tokens');
  const amount = amountOf(token.allowance, token);
  if (BigInt(token.allowance) < (token.via === 'permit2' ? PERMIT2_UNLIMITED : UNLIMITED)) return amount;
  return Object.assign(element('span', 'unlimited'), { title: amount.textContent });
}

function row(...contents) {
  const line = document.createElement('tr');
  contents.forEach((content, i) => {
    const cell = document.createElement(i === 0 ? 'th' : 'td');
    if (i === 0) cell.scope = 'row';
    if (i === contents.length - 1) cell.className = 'number';
    cell.append(content);
    line.append(cell);
  });
  return line;
}

function emptyRow(text) {
  const line = row(text);
  line.firstChild.colSpan = 3;
  return line;
}

function element(name, text, className = '') {
  return Object.assign(document.createElement(name), { textContent: text, className });
}

// The one that was typed last counts.
date.addEventListener('input', () => (block.value = ''));
block.addEventListener('input', () => (date.value = ''));
void ask();
