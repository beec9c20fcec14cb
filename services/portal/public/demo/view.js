/** The page except for the picture. */
import { formatAmount, groupDigits } from './amounts.js';
import { absenceInWords } from './series.js';

const byId = (id) => document.getElementById(id);

/** The elements that the page works with. */
export const page = {
  form: byId('question'),
  token: byId('token'),
  holder: byId('holder'),
  from: byId('from'),
  to: byId('to'),
  presets: byId('presets'),
  chart: byId('chart'),
  status: byId('progress-text'),
  progress: byId('progress'),
  cancel: byId('cancel'),
  trouble: byId('trouble'),
  slider: byId('slider'),
  block: byId('block'),
  date: byId('date'),
  answer: byId('answer'),
  curl: byId('curl'),
  json: byId('json'),
  rows: byId('rows'),
};

/** The balance at the red line. */
export function showAnswer({ json, amount, decimals, symbol }) {
  page.answer.dataset.state = 'known';
  byId('answer-amount').textContent = formatAmount(amount, decimals);
  byId('answer-symbol').textContent = symbol;
  byId('answer-block').textContent = groupDigits(json.checked_at_block);
  byId('answer-date').textContent =
    `${json.checked_at_date.slice(0, 10)} ${json.checked_at_date.slice(11, 19)} UTC`;
  byId('answer-final').textContent = json.finalized ? 'final' : 'not final yet';
  byId('answer-hash').textContent = json.block_hash;
}

/** No balance at the red line, and why. */
export function showNoAnswer(message) {
  page.answer.dataset.state = 'absent';
  byId('answer-amount').textContent = '–';
  byId('answer-symbol').textContent = message;
  for (const id of ['answer-block', 'answer-date', 'answer-final', 'answer-hash']) byId(id).textContent = '–';
}

/** The call as a curl line, and its answer: JSON, or a text where there is none. */
export function showCall(curl, json) {
  page.curl.textContent = curl;
  page.json.textContent = typeof json === 'string' ? json : JSON.stringify(json, null, 2);
}

/** Progress in words; `state`: asking, waiting, done, cancelled, failed. */
export function showProgress(state, words, share) {
  page.progress.dataset.state = state;
  page.progress.value = share;
  page.status.textContent = words;
  page.cancel.textContent = state === 'asking' || state === 'waiting' ? 'Cancel' : 'Draw again';
}

/** Shows an error where the eye is, and announces it to screen readers. */
export function showTrouble(message) {
  page.trouble.hidden = message === null;
  page.trouble.textContent = message ?? '';
}

/** The same numbers as a table, for those who do not see the picture. */
export function showRows(points, decimals) {
  const rows = points.map((point) => {
    const { height, amount, date } = point;
    const row = document.createElement('tr');
    const cells = [
      groupDigits(height),
      date ?? '–',
      amount === null ? absenceInWords(point) : formatAmount(amount, decimals),
    ];
    cells.forEach((text, i) => {
      const cell = document.createElement(i === 0 ? 'th' : 'td');
      if (i === 0) cell.scope = 'row';
      cell.className = i === 2 ? 'number figure' : 'figure';
      cell.textContent = text;
      row.append(cell);
    });
    return row;
  });
  page.rows.replaceChildren(...rows);
}

/** Example queries, as links that this page answers without a reload. */
export function showPresets(questions, hrefOf) {
  const links = questions.map((question) => {
    const link = document.createElement('a');
    link.href = hrefOf(question);
    link.textContent = question.title;
    return link;
  });
  page.presets.replaceChildren(...links);
}
