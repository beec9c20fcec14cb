/**
 * A wallet over a period: what each of its assets was at both ends, and what came in and went out, by calls from the
 * reader's browser. All of them are about the two blocks that the first answer names.
 */
import { groupDigits, shortAmount } from './demo/amounts.js';
import { createBrowserClient, Refusal } from './demo/client.js';
import { readPages, unreadIn } from './demo/pages.js';
import {
  busyAt,
  element,
  fillFacts,
  networkOf,
  row,
  share,
  showTrouble,
  timeInWords,
  utcOf,
} from './demo/sheet.js';

/** Ether is one of them. */
const MOST_ASSETS = 10;
/** As long as any chain: the whole range is one period. */
const ONE_PERIOD = '999999999999';

const byId = (id) => document.getElementById(id);
const form = byId('question');
const [holder, from, to] = ['holder', 'from', 'to'].map((name) => form.elements[name]);
const settings = JSON.parse(form.dataset.settings);
const client = createBrowserClient(settings, busyAt(byId('then')));

function say(text) {
  byId('then').textContent = text;
}

/** An end of the period in the API's parameters. */
function boundOf({ value }) {
  return /^\d+$/.test(value) ? value : utcOf(value);
}

async function ask() {
  byId('whose').textContent = holder.value;
  say('Asking…');
  try {
    const range = { from: boundOf(from), to: boundOf(to) };
    const coin = await statementOf('native', holder.value, range);
    const [period] = coin.periods;
    const lists = [
      await heldAt(coin.holder, period.to_block_hash),
      await heldAt(coin.holder, period.from_block_hash),
    ];
    const { assets, multi } = assetsOf(lists.flat());
    const shown = assets.slice(0, MOST_ASSETS - 1);
    const statements = [coin];
    for (const { token_address: token } of shown)
      statements.push(
        samePeriod(
          await statementOf(token, coin.holder, { from: period.from_block, to: period.to_block }),
          period,
        ),
      );
    show(statements);
    byId('asked').textContent = askedOf(statements, {
      lists,
      unread: unreadOf(lists, [...assets, ...multi]),
      more: assets.length - shown.length,
      multi: multi.length,
    });
    byId('statement').dataset.state = 'known';
  } catch (error) {
    say('No result.');
    byId('statement').dataset.state = 'absent';
    showTrouble(error);
  }
}

async function statementOf(token, who, range) {
  const params = { token_address: token, holder: who, ...range, step: ONE_PERIOD };
  const { json } = await client.ask({ endpoint: 'balance/statement', params });
  return json;
}

/** The pages of what an address held at a block. */
function heldAt(address, hash) {
  return readPages(client, { endpoint: 'portfolio', params: { holder: address, block_hash: hash } });
}

/** Each contract once. Balances of ERC-1155 are by id, of which there is no statement. */
function assetsOf(pages) {
  const all = pages.flatMap(({ tokens }) => tokens);
  const contracts = new Map(all.map((token) => [token.token_address, token]));
  const assets = [...contracts.values()];
  const isMulti = ({ token_type: type }) => type === 'erc1155';
  return { assets: assets.filter((token) => !isMulti(token)), multi: assets.filter(isMulti) };
}

/** Number of contracts that gave no answer at an end, and are not known from the other one. */
function unreadOf(lists, known) {
  const unread = new Set(lists.flatMap((pages) => [...unreadIn(pages)]));
  for (const { token_address: token } of known) unread.delete(token);
  return unread.size;
}

/** @throws {Refusal} if the chain was reorganised between two answers */
function samePeriod(answer, { from_block_hash: first, to_block_hash: last }) {
  const [period] = answer.periods;
  if (period.from_block_hash !== first || period.to_block_hash !== last)
    throw new Refusal('The chain was reorganised in the meantime. Reload the page.', 0);
  return answer;
}

function show(statements) {
  const [coin] = statements;
  const [period] = coin.periods;
  const at = (end) => `block ${groupDigits(period[`${end}_block`])}`;
  say(`from ${timeInWords(period.from_date)} to ${timeInWords(period.to_date)}`);
  fillFacts({
    Address: coin.holder,
    'Opening block': `${groupDigits(period.from_block)}, ${timeInWords(period.from_date)}`,
    'Opening block hash': period.from_block_hash,
    'Closing block': `${groupDigits(period.to_block)}, ${timeInWords(period.to_date)}`,
    'Closing block hash': period.to_block_hash,
    Finality: coin.finalized ? 'final' : 'not final yet',
  });
  byId('entries').replaceWith(
    ...statements.map((answer) =>
      entriesOf(answer, [`Opening, after ${at('from')}`, `Closing, ${at('to')}`]),
    ),
  );
  const ends = { from: period.from_block, to: period.to_block };
  share({ ...networkOf(settings), holder: holder.value, ...ends });
}

/** The rows of one asset: opening + in − out + unexplained = closing. */
function entriesOf(answer, [opening, closing]) {
  const [period] = answer.periods;
  const { symbol, decimals } = answer.token_address
    ? { symbol: answer.token_symbol, decimals: answer.token_decimals }
    : settings.coin;
  const line = (title, units, sign = '') =>
    row(title, element('span', amountOf(units, decimals ?? 0, sign), 'figure'));
  const group = document.createElement('tbody');
  group.append(
    headingOf(answer, symbol),
    line(opening, period.opening),
    line('In', period.in, '+'),
    line('Out', period.out, '−'),
    line('Unexplained', period.unexplained, '+'),
    line(closing, period.closing),
  );
  group.lastChild.className = 'sum';
  return group;
}

function headingOf({ token_address: address, token_name: name }, symbol) {
  const line = document.createElement('tr');
  const title = Object.assign(document.createElement('th'), { scope: 'rowgroup', colSpan: 2 });
  title.append(element('strong', symbol || name || 'unnamed'));
  if (name && name !== symbol) title.append(` ${name}`);
  if (address) title.append(element('span', address, 'figure address'));
  line.append(title);
  return line;
}

/** @param sign of a positive amount */
function amountOf(units, decimals, sign) {
  if (units === null) return 'not known';
  const amount = BigInt(units);
  if (amount === 0n) return '0';
  return amount < 0n ? `−${shortAmount(-amount, decimals)}` : sign + shortAmount(amount, decimals);
}

/** The scope of the statement: which assets it is about, and what is not in it. */
function askedOf(statements, { lists, unread, more, multi }) {
  const isWhole = lists.every((pages) => pages.at(-1).asked.complete);
  return [
    'Only assets held at either end are listed.',
    isWhole ? '' : 'The search for them wasn’t complete, so some may be missing.',
    unread > 0 ? `Contracts that gave no answer and may have been held: ${groupDigits(unread)}.` : '',
    more > 0 ? `${groupDigits(more)} more are not shown.` : '',
    multi > 0 ? `ERC-1155 contracts that were held and have no statement: ${groupDigits(multi)}.` : '',
    statements.some(({ complete }) => !complete)
      ? 'Not all events could be searched. Choose a shorter period to see the rest.'
      : '',
    '“Unexplained” is what no event accounts for: ether transfers before Glamsterdam, fees, rebases.',
  ]
    .filter((text) => text !== '')
    .join(' ');
}

void ask();
