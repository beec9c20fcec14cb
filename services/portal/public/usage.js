/** The chart of the days, from the numbers in the table below it; before the first request, a watch for it. */
import { colour, FIGURES, followPage, sizeOf, WHOLE_STEPS } from './charts.js';

const element = document.querySelector('[data-usage-chart]');
const rows = [...document.querySelectorAll('[data-usage-table] [data-requests]')];
const days = rows.map(
  (cell) => Date.parse(`${cell.closest('tr').querySelector('time').dateTime}T00:00Z`) / 1000,
);
const requests = rows.map((cell) => Number(cell.dataset.requests));
const firstCall = document.querySelector('[data-first-call]');
const DAY = 86_400;
const LOOK_EVERY_MS = 3_000;

/** From the first to the last day of the month: days that have not come yet keep their place. */
function monthOf(day) {
  const date = new Date(day * 1000);
  const next = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000;
  return [Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000 - DAY / 2, next - DAY / 2];
}

function draw() {
  const axis = { stroke: () => colour('--soft'), font: FIGURES, ticks: { show: false } };
  const grid = { stroke: () => colour('--rule'), width: 1 };
  const bars = globalThis.uPlot.paths.bars({ size: [0.62, 40] });
  const plot = new globalThis.uPlot(
    {
      ...sizeOf(element),
      tzDate: (seconds) => globalThis.uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
      padding: [10, 8, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { range: monthOf(days[0]) }, y: { range: (_, __, max) => [0, Math.max(max * 1.08, 4)] } },
      axes: [
        {
          ...axis,
          size: 28,
          grid: { show: false },
          splits: (_, __, low, high) =>
            [1, 5, 10, 15, 20, 25, 30].map((n) => low + (n - 0.5) * DAY).filter((t) => t < high),
          values: (_, splits) => splits.map((t) => String(new Date(t * 1000).getUTCDate())),
        },
        {
          ...axis,
          grid,
          size: 64,
          incrs: WHOLE_STEPS,
          values: (_, marks) => marks.map((mark) => mark.toLocaleString('en-US')),
        },
      ],
      series: [
        {},
        {
          paths: bars,
          fill: () => colour('--ink'),
          stroke: () => colour('--ink'),
          width: 0,
          points: { show: false },
        },
      ],
    },
    [days, requests],
    element,
  );
  followPage(plot, element);
}

/** Looks for the first request while the page is visible, and says when it has arrived. */
async function watch() {
  if (!document.hidden) {
    try {
      const answer = await fetch(firstCall.dataset.firstCall, { headers: { accept: 'application/json' } });
      // Signed out in the meantime.
      if (answer.redirected) return;
      const { usage } = await answer.json();
      if (usage?.requests.used > 0) return announce(usage.requests.used);
    } catch {
      // The portal may be restarting.
    }
  }
  setTimeout(watch, LOOK_EVERY_MS);
}

function announce(used) {
  const link = Object.assign(document.createElement('a'), { href: '', textContent: 'Show usage' });
  firstCall.replaceChildren('Your first request has arrived. ', link);
  document.querySelector('[data-usage-used]').textContent = used.toLocaleString('en-US');
}

if (element && requests.some((count) => count > 0)) draw();
if (firstCall) setTimeout(watch, LOOK_EVERY_MS);
