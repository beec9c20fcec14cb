/** The demo: a balance over many heights by one live call, and at the height under the red line by another. */
import { createChart } from './demo/chart.js';
import { createBrowserClient, curlOf, Refusal, urlOf, wordsOf } from './demo/client.js';
import { createQuestions } from './demo/question.js';
import { countChanges, isUntold, MAX_POINTS, pointsIn, seriesOf } from './demo/series.js';
import {
  page,
  showAnswer,
  showCall,
  showNoAnswer,
  showPresets,
  showProgress,
  showRows,
  showTrouble,
} from './demo/view.js';

const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';
/** Mainnet passed this height in August 2023; the development chain ends below it. */
const DEV_CHAIN_ENDS_BELOW = 18_100_000;

const settings = JSON.parse(page.form.dataset.settings);
const { coin } = settings;
const { questionOf, searchOf, tokenOf, tokenText } = createQuestions(settings);
const client = createBrowserClient(settings, (text) => {
  // The picture is complete; only the answer is missing.
  if (text === null || (head !== undefined && drawing === null)) return;
  showProgress('waiting', text, page.progress.value);
});
const chart = createChart(page.chart);

let question;
let head;
let points = [];
let decimals = 0;
let drawing = null;
let looking = null;

async function draw() {
  drawing?.abort();
  const { signal } = (drawing = new AbortController());
  points = [];
  showTrouble(null);
  const { from, to = head } = question;
  chart.show({ points, decimals, from, to });
  showRows(points, decimals);
  showProgress('asking', 'Drawing from one API call…', 0);
  try {
    const { json } = await client.ask(seriesOf(question, from, to), signal);
    signal.throwIfAborted();
    decimals = question.token === '' ? coin.decimals : (json.token_decimals ?? 0);
    points = pointsIn(json);
    chart.show({ points, decimals, from, to });
    showRows(points, decimals);
    finish();
  } catch (error) {
    if (signal.aborted && drawing?.signal !== signal) return;
    if (error instanceof Refusal && error.status === 404) return finish(error.message);
    halt(error, signal.aborted);
  }
}

/** Ends a picture. @param why there is none, as the gateway says it */
function finish(why = 'That token didn’t exist in this range.') {
  drawing = null;
  const none = points.every(({ amount }) => amount === null);
  if (none) showTrouble(points.some(isUntold) ? 'That token didn’t report a balance in this range.' : why);
  showProgress(
    'done',
    none ? 'Nothing to draw.' : `${points.length} points from one call, ${changesFound()}.`,
    1,
  );
}

function changesFound() {
  const { all, exact } = countChanges(points);
  const found = all === 1 ? '1 balance change' : `${all} balance changes`;
  if (exact === 0) return found;
  if (all === exact) return `${found} located to the exact block`;
  return `${found}, ${exact} of them located to the exact block`;
}

function halt(error, cancelled) {
  drawing = null;
  if (cancelled) return showProgress('cancelled', 'Cancelled.', 0);
  showProgress('failed', 'Stopped.', 0);
  showTrouble(wordsOf(error));
}

/** Reads the balance at the height or date under the red line: {block} or {date}. */
async function look(at) {
  looking?.abort();
  const { signal } = (looking = new AbortController());
  const asked = { token: question.token, holder: question.holder, ...at };
  page.answer.dataset.state = 'asking';
  try {
    const { json } = await client.ask(asked, signal);
    const symbol = question.token === '' ? coin.symbol : json.token_symbol;
    const places = question.token === '' ? coin.decimals : (json.token_decimals ?? 0);
    showAnswer({ json, symbol, amount: BigInt(json.balance), decimals: places });
    showCall(curlOf(urlOf(settings, asked), settings.demoKey), json);
    moveTo(json.checked_at_block);
    page.date.value = json.checked_at_date.slice(0, 19);
  } catch (error) {
    if (signal.aborted) return;
    showNoAnswer(wordsOf(error));
    const body =
      error instanceof Refusal && error.status > 0
        ? { message: error.message, statusCode: error.status }
        : '';
    showCall(curlOf(urlOf(settings, asked), settings.demoKey), body);
  }
}

function moveTo(block) {
  question.block = block;
  page.slider.value = String(block);
  page.block.value = String(block);
  chart.mark(Math.min(Math.max(block, question.from), question.to ?? head));
  history.replaceState(null, '', searchOf(question));
}

/** Puts a question into the form and answers it. */
function pose(next) {
  const to = Math.min(next.to ?? head, head);
  const from = Math.min(next.from ?? 0, to);
  question = { ...next, from, to: next.to === undefined ? undefined : to };
  page.token.value = tokenText(question.token);
  page.holder.value = question.holder;
  page.from.value = String(from);
  page.to.value = String(to);
  for (const input of [page.slider, page.block]) Object.assign(input, { min: String(from), max: String(to) });
  const block = Math.min(Math.max(next.block ?? Math.round((from + to) / 2), from), to);
  moveTo(block);
  void draw();
  void look({ block });
}

function poseFromForm(event) {
  event.preventDefault();
  const height = (input) => (/^\d+$/.test(input.value) ? Number(input.value) : undefined);
  const to = height(page.to);
  pose({
    token: tokenOf(page.token.value),
    holder: page.holder.value.trim(),
    from: height(page.from) ?? question?.from ?? 0,
    to: to === undefined || to >= head ? undefined : to,
    block: question?.block,
  });
}

function listen(standard) {
  page.form.addEventListener('submit', poseFromForm);
  page.cancel.addEventListener('click', () => (drawing ? drawing.abort() : void draw()));
  page.slider.addEventListener('input', () => {
    page.block.value = page.slider.value;
    chart.mark(Number(page.slider.value));
  });
  page.slider.addEventListener('change', () => void look({ block: Number(page.slider.value) }));
  page.block.addEventListener('change', () => {
    if (/^\d+$/.test(page.block.value)) void look({ block: Math.min(Number(page.block.value), head) });
  });
  page.date.addEventListener('change', () => {
    if (page.date.value) void look({ date: `${page.date.value.padEnd(19, ':00')}Z` });
  });
  page.presets.addEventListener('click', (event) => {
    const link = event.target.closest('a');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    pose(questionOf(new URL(link.href).search, standard));
  });
}

/** The head shows which chain this is, and so which example queries fit. */
async function begin() {
  showProgress('asking', 'Fetching the latest block…', 0);
  try {
    const { json } = await client.ask({ token: '', holder: ZERO_ADDRESS });
    head = json.checked_at_block;
  } catch (error) {
    // Nothing else listens yet.
    page.cancel.disabled = false;
    page.cancel.addEventListener('click', () => location.reload(), { once: true });
    showNoAnswer(wordsOf(error));
    return halt(error, false);
  }
  const { standard: usual, devChain = usual } = settings.questions;
  const last = Math.max(head - MAX_POINTS + 1, 0);
  const questions = (head < DEV_CHAIN_ENDS_BELOW ? devChain : usual).map((each) => ({ from: last, ...each }));
  showPresets(questions, (preset) => `/demo${searchOf(preset)}`);
  const [standard] = questions;
  listen(standard);
  for (const control of [page.slider, page.block, page.date, page.cancel]) control.disabled = false;
  pose(questionOf(location.search, standard));
}

await begin();
