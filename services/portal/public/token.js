/** A token at a date: its largest holders, their number over time, and all of them as a file, by calls from the reader's browser. */
import { groupDigits, shortAmount } from './demo/amounts.js';
import { createChart } from './demo/chart.js';
import { createBrowserClient, Refusal, wordsOf } from './demo/client.js';
import { countInWords, holderPoints, noneInWords } from './demo/holders.js';
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

const LARGEST = 25;
const LISTED = 50;
const POINTS = 12;
const PPM_IN_PERCENT = 10_000;
/** Addresses of a file. The demo key's daily units are enough for two such files. */
const MOST_IN_FILE = 100_000;
const CUT = 'The connection was lost before the end of the answer.';

const byId = (id) => document.getElementById(id);
const form = byId('question');
const [token, id, date, block] = ['token', 'id', 'date', 'block'].map((name) => form.elements[name]);
const settings = JSON.parse(form.dataset.settings);
const client = createBrowserClient(settings, busyAt(byId('found') ?? byId('then')));

function say(where, text) {
  byId(where).textContent = text;
}

/** The parameters of the token, with others. */
function params(others) {
  return { token_address: token.value, ...(id.value ? { token_id: id.value } : {}), ...others };
}

function nameOf(symbol, name) {
  return symbol && name && symbol !== name ? `${name} (${symbol})` : name || symbol || 'unnamed';
}

/** The list of tokens, or those whose name or symbol begins so. */
async function list() {
  try {
    const search = token.value ? { search: token.value } : {};
    const { json } = await client.ask({ endpoint: 'token', params: { ...search, limit: LISTED } });
    const rows = json.tokens.map((each) => row(linkTo(each), standardOf(each), sinceOf(each)));
    byId('tokens').replaceChildren(...(rows.length > 0 ? rows : [emptyRow('No tokens found.')]));
    byId('list').dataset.state = 'known';
  } catch (error) {
    showTrouble(error);
  }
}

function linkTo(listed) {
  const link = element('a', nameOf(listed.symbol, listed.name));
  link.href = `/token?${new URLSearchParams({ ...networkOf(settings), token: listed.token_address })}`;
  const cell = document.createElement('span');
  cell.append(link, element('span', listed.token_address, 'figure address'));
  return cell;
}

function sinceOf({ block_height: since }) {
  return element('span', groupDigits(since), 'figure');
}

/** The holders at the moment, then their number over time. */
async function ask() {
  try {
    const asked = params({ order: 'balance', limit: LARGEST, ...momentOf(date, block) });
    const { json } = await client.ask({ endpoint: 'token/holders', params: asked });
    showHolders(json);
    offerFiles(json);
    await draw(json);
  } catch (error) {
    say('then', 'No result.');
    byId('statement').dataset.state = 'absent';
    say('history-state', 'Nothing to draw.');
    byId('indexing').hidden = error.status !== 409;
    showTrouble(error);
  }
}

function showHolders(answer) {
  const { token_decimals: decimals, token_symbol: symbol, total_supply: supply } = answer;
  const amount = (units) => `${shortAmount(BigInt(units), decimals ?? 0)} ${symbol}`.trimEnd();
  const more = {
    Holders: countInWords({ holders: answer.holder_count, errors: answer.errors }),
    Supply: supply === null ? 'none reported' : amount(supply),
  };
  say('whose', nameOf(symbol, answer.token_name));
  say('then', showFacts(answer, more));
  const rows = answer.holders.map((one) =>
    row(
      walletOf(one.holder, answer),
      element('span', shareOf(one), 'figure'),
      element('span', shortAmount(BigInt(one.balance), decimals ?? 0), 'figure'),
    ),
  );
  byId('largest').replaceChildren(...(rows.length > 0 ? rows : [emptyRow(noneInWords(answer))]));
  say('asked', askedOf(answer, amount));
  byId('statement').dataset.state = 'known';
  share({
    ...networkOf(settings),
    token: token.value,
    block: answer.checked_at_block,
    ...(id.value ? { id: id.value } : {}),
  });
}

function walletOf(holder, { checked_at_block: height }) {
  const link = element('a', holder, 'figure');
  link.href = `/wallet?${new URLSearchParams({ ...networkOf(settings), holder, block: height })}`;
  return link;
}

function shareOf({ share_ppm: share }) {
  return share === null ? '–' : `${(share / PPM_IN_PERCENT).toFixed(2)}%`;
}

/** The scope of the answer, and where its sum is not the supply. */
function askedOf(answer, amount) {
  const { index, read, errors, sum, total_supply: supply } = answer;
  return [
    `${groupDigits(read)} addresses that events of the token name were read.`,
    errors > 0 ? `${groupDigits(errors)} of them could not be.` : '',
    index.complete ? '' : `Holders from before block ${groupDigits(index.from_block)} may be missing.`,
    supply !== null && supply !== sum ? `The balances of all holders add up to ${amount(sum)}.` : '',
  ].join(' ');
}

/** Draws the number of holders up to the moment. */
async function draw({ checked_at_block: to, index }) {
  const asked = params({ from: Math.min(index.from_block, to), to, points: POINTS });
  try {
    const { json } = await client.ask({ endpoint: 'token/holders/series', params: asked });
    const points = holderPoints(json);
    createChart(byId('chart')).show({ points, decimals: 0, from: points[0].height, to });
    byId('rows').replaceChildren(
      ...json.points.map((point) =>
        row(
          element('span', groupDigits(point.block), 'figure'),
          element('span', `${point.date.slice(0, 10)} ${point.date.slice(11, 19)}`, 'figure'),
          element('span', countInWords(point), 'figure'),
        ),
      ),
    );
    const isWhole = json.points.every(({ errors }) => errors === 0);
    const least = isWhole
      ? ''
      : ' Where some could not be read, there may be more; where many, the line has a gap.';
    say('history-state', `Addresses with a balance above zero, read at each block.${least}`);
  } catch (error) {
    say('history-state', wordsOf(error));
  }
  byId('chart').dataset.state = 'known';
}

/** Lets all holders of the shown block be saved. */
function offerFiles({ block_hash: hash, checked_at_block: height }) {
  for (const [format, make] of Object.entries({ csv, parquet })) {
    const button = byId(format);
    button.disabled = false;
    button.addEventListener('click', async () => {
      if (button.ariaDisabled) return;
      // A disabled button would lose the focus.
      button.ariaDisabled = true;
      say('saved', 'Reading…');
      try {
        const { parts, next } = await make(hash);
        save(new globalThis.Blob(parts), `holders-${token.value}-${height}.${format}`);
        say(
          'saved',
          next === null ? 'Saved.' : 'Saved the first part. Use the command line for the whole list.',
        );
      } catch (error) {
        say('saved', wordsOf(error));
      }
      button.ariaDisabled = null;
    });
  }
}

/** All pages of the list, at most as many addresses as a file has. */
async function csv(hash) {
  const parts = [];
  for (let after, from, read = 0; ;) {
    const asked = params({ block_hash: hash, ...(after ? { after } : {}) });
    const { response } = await client.request({
      endpoint: 'token/holders',
      params: asked,
      accept: 'text/csv',
    });
    const lines = (await response.text()).trimEnd().split('\n');
    const end = lines.at(-1).startsWith('# {"record":"end"') ? JSON.parse(lines.at(-1).slice(2)) : null;
    if (end === null) throw new Refusal(CUT, 0);
    const { index } = JSON.parse(lines[0].slice(2));
    if (index.from_block !== (from ??= index.from_block))
      throw new Refusal('The index begins at another block by now: save the list again.', 0);
    // The facts and the names of the columns come once.
    parts.push(`${lines.slice(parts.length === 0 ? 0 : 2).join('\n')}\n`);
    read += end.read;
    after = end.next;
    if (after === null || read >= MOST_IN_FILE) return { parts, next: after };
  }
}

async function parquet(hash) {
  const { response } = await client.request({
    endpoint: 'token/holders/export',
    params: params({ block_hash: hash, limit: MOST_IN_FILE }),
    method: 'POST',
  });
  const { next } = JSON.parse(response.headers.get('x-holders-facts'));
  const file = await response.blob();
  // A proxy may end half a file as a whole one.
  if ((await file.slice(-4).text()) !== 'PAR1') throw new Refusal(CUT, 0);
  return { parts: [file], next };
}

function save(blob, name) {
  const url = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

linkFields(date, block);
void (byId('list') ? list() : ask());
