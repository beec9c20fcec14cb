/** Parts of the pages that show one moment: its fields, its facts, and rows of tables. */
import { groupDigits } from './amounts.js';
import { wordsOf } from './client.js';

/** The network, in addresses of pages that have a choice. */
export function networkOf({ several, network }) {
  return several ? { network } : {};
}

/** The moment of two fields, in the API's parameters. The one that was typed last counts. */
export function momentOf(date, block) {
  if (/^\d+$/.test(block.value)) return { block_height: block.value };
  return date.value ? { date: utcOf(date.value) } : {};
}

/** A date of a browser's field in the API's form. */
export function utcOf(date) {
  return `${date.padEnd(19, ':00')}Z`;
}

/** Empties each of two fields when the other is typed into. */
export function linkFields(date, block) {
  date.addEventListener('input', () => (block.value = ''));
  block.addEventListener('input', () => (date.value = ''));
}

/** Fills in the facts about an answer's block. @returns the moment in words */
export function showFacts(answer, more = {}) {
  const { checked_at_block: height, checked_at_date: time } = answer;
  const known = {
    Block: groupDigits(height),
    Time: `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`,
    Finality: answer.finalized ? 'final' : 'not final yet',
    'Block hash': answer.block_hash,
    ...more,
  };
  fillFacts(known);
  return `on ${timeInWords(time)}, block ${groupDigits(height)}`;
}

/** Fills in facts by their titles. */
export function fillFacts(known) {
  for (const [title, text] of Object.entries(known))
    document.querySelector(`[data-fact="${title}"]`).textContent = text;
}

/** @param time ISO 8601 */
export function timeInWords(time) {
  const day = new Date(time).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  return `${day} at ${time.slice(11, 19)} UTC`;
}

/** Has an element say that a question waits, and afterwards what it said before. */
export function busyAt(place) {
  let before = null;
  return (text) => {
    // Two may wait.
    before ??= place.textContent;
    place.textContent = text ?? before;
    if (text === null) before = null;
  };
}

/** Says why there is no answer. */
export function showTrouble(error) {
  const notice = document.getElementById('trouble');
  notice.hidden = false;
  notice.textContent = wordsOf(error);
}

/** Puts the question into the address bar and the link to share. */
export function share(query) {
  history.replaceState(null, '', `?${new URLSearchParams(query)}`);
  document.getElementById('share').textContent = location.href;
}

/** The standard of a token, in its usual spelling. */
export function standardOf({ token_type: type }) {
  return type ? type.replace(/^erc/, 'ERC-') : 'native';
}

/** A row of a table; its first cell is its heading, its last one a number. */
export function row(...contents) {
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

/** A row that says why there is no other. */
export function emptyRow(text) {
  const line = row(text);
  line.firstChild.colSpan = 3;
  return line;
}

/** An element with a text. */
export function element(name, text, className = '') {
  return Object.assign(document.createElement(name), { textContent: text, className });
}
