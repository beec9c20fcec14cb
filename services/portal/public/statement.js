/**
 * A wallet at a date: its holdings and open approvals at one block, by calls from the reader's browser.
 */
import { groupDigits, shortAmount } from './demo/amounts.js';
import { createBrowserClient } from './demo/client.js';
import { MOST_PAGES, noneOpenInWords, readPages, sumOver, unreadIn } from './demo/pages.js';
import {
  busyAt,
  element,
  emptyRow,
  linkFields,
  momentOf,
  networkOf,
  row,
  share,
  showFacts,
  showTrouble,
  standardOf,
} from './demo/sheet.js';

/** Such an allowance is never used up. */
const UNLIMITED = 2n ** 255n;
const PERMIT2_UNLIMITED = 2n ** 160n - 1n;

const byId = (id) => document.getElementById(id);
const form = byId('question');
const [holder, date, block] = ['holder', 'date', 'block'].map((name) => form.elements[name]);
const settings = JSON.parse(form.dataset.settings);
const client = createBrowserClient(settings, busyAt(byId('then')));

function say(text) {
  byId('then').textContent = text;
}

async function ask() {
  byId('whose').textContent = holder.value;
  say('Asking…');
  try {
    const when = { holder: holder.value, ...momentOf(date, block) };
    const held = await readPages(client, { endpoint: 'portfolio', params: when }, showHeld);
    showHeld(held);
    const [{ holder: owner, block_hash }] = held;
    // The same block, even after a reorganisation.
    const params = { owner, block_hash };
    showOpen(await readPages(client, { endpoint: 'allowance/list', params }), held);
    byId('statement').dataset.state = 'known';
  } catch (error) {
    say('No result.');
    byId('statement').dataset.state = 'absent';
    showTrouble(error);
  }
}

/** Shows the pages of a portfolio; ether is on each. */
function showHeld(pages) {
  const [answer] = pages;
  say(showFacts(answer));
  const { symbol, decimals } = settings.coin;
  const coin = {
    token_name: symbol === 'ETH' ? 'Ether' : symbol,
    token_symbol: symbol,
    token_decimals: decimals,
    balance: answer.native_balance,
  };
  byId('held').replaceChildren(
    ...[coin, ...pages.flatMap(({ tokens }) => tokens)].map((token) =>
      row(assetOf(token, answer), standardOf(token), amountOf(token.balance, token)),
    ),
  );
  share({ ...networkOf(settings), holder: holder.value, block: answer.checked_at_block });
}

function showOpen(pages, held) {
  const rows = pages
    .flatMap(({ allowances }) => allowances)
    .map((token) => row(assetOf(token, held[0]), spenderOf(token), allowanceOf(token)));
  byId('open').replaceChildren(...(rows.length > 0 ? rows : [emptyRow(noneOpenInWords(pages))]));
  byId('asked').textContent = askedOf(held, pages);
}

/** The scope of the answer: exact for the contracts read, without a claim about others. */
function askedOf(held, open) {
  const from = Math.max(held[0].asked.from_block, open[0].asked.from_block);
  const [lastHeld, lastOpen] = [held.at(-1), open.at(-1)];
  const tokens = new Set(held.flatMap(({ asked }) => asked.tokens)).size;
  const pairs = sumOver(open, ({ asked }) => asked.pairs);
  const contracts = `Read ${groupDigits(tokens)} token contracts and ${groupDigits(pairs)} approvals, found by their events`;
  const unread = unreadIn(held).size + sumOver(open, ({ asked }) => asked.unread.length);
  const isCut = lastHeld.next !== null || lastOpen.next !== null;
  return [
    lastHeld.asked.complete && lastOpen.asked.complete
      ? `${contracts}.`
      : `${contracts} from block ${groupDigits(from)} on.`,
    unread > 0 ? `${groupDigits(unread)} could not be read.` : '',
    isCut ? `Only the first ${MOST_PAGES} pages of each list are shown.` : '',
  ].join(' ');
}

function assetOf({ token_symbol: symbol, token_name: name, token_address: address, token_id: id }, answer) {
  const asset = document.createElement('span');
  asset.append(element('strong', symbol || name || 'unnamed'), id === undefined ? '' : ` #${id}`);
  if (symbol && name && name !== symbol) asset.append(` ${name}`);
  if (address) asset.append(holdersOf(address, answer));
  return asset;
}

/** A link to who held the token at the block of an answer. */
function holdersOf(address, { checked_at_block: block }) {
  const link = element('a', address, 'figure address');
  const query = { ...networkOf(settings), token: address, block };
  link.href = `/token?${new URLSearchParams(query)}`;
  return link;
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

linkFields(date, block);
void ask();
