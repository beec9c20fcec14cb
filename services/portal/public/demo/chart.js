/** The picture: every dot is one answer of the gateway. */
import { groupDigits, placeOf, scaleMarks, shortAmount } from './amounts.js';

const FIGURES = '12px "Hindsight Figures", ui-monospace, monospace';

/** Steps between the marks of a scale of whole numbers: 1, 2 or 5 times a power of ten, in order. */
const WHOLE_STEPS = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((power) => [1, 2, 5].map((n) => n * 10 ** power));
/** Room on the right for the end of the last height's digits, in pixels; as --end in demo.css. */
const END_ROOM = 40;

/** An empty chart. @param element of a fixed height; its --axis is the room for the scale on the left, in pixels */
export function createChart(element) {
  /** The picture's data, and the position of the red line. */
  const now = { points: [], decimals: 0, from: 0, to: 1, marks: [0n, 1n], then: null };
  const line = document.createElement('div');
  line.className = 'then-line';
  line.hidden = true;
  const nothing = [
    [0, 1],
    [null, null],
  ];
  const plot = new globalThis.uPlot(optionsOf(element, now, placeLine), nothing, element);
  plot.over.append(line);
  followPage(plot, element);

  function placeLine() {
    line.hidden = now.then === null;
    if (now.then !== null) line.style.left = `${plot.valToPos(now.then, 'x')}px`;
  }

  return {
    /** Draws {points, decimals, from, to}. */
    show(next) {
      const max = next.points.reduce((m, { amount }) => (amount !== null && amount > m ? amount : m), 0n);
      Object.assign(now, next, { marks: scaleMarks(max) });
      const heights = next.points.map(({ height }) => height);
      const places = next.points.map(({ amount }) =>
        amount === null ? null : placeOf(amount, now.marks.at(-1)),
      );
      plot.setData([heights, places]);
      // To uPlot the scale is always from 0 to 1; only this module knows that its marks have changed.
      plot.redraw(false, true);
    },
    /** Moves the red line. */
    mark(height) {
      now.then = height;
      placeLine();
    },
  };
}

/** uPlot's options for a chart of `now`. */
function optionsOf(element, now, onDraw) {
  const axis = { stroke: () => colour('--soft'), font: FIGURES };
  const grid = { stroke: () => colour('--rule'), width: 1 };
  return {
    ...sizeOf(element),
    // Heights have positions only once the picture is drawn.
    hooks: { draw: [() => onDraw()] },
    padding: [14, END_ROOM, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: () => [now.from, Math.max(now.to, now.from + 1)] },
      y: { range: () => [0, 1] },
    },
    axes: [
      {
        ...axis,
        size: 32,
        grid: { show: false },
        ticks: { ...grid, size: 6 },
        space: 110,
        incrs: WHOLE_STEPS,
        values: (_, heights) => heights.map((height) => groupDigits(height)),
      },
      {
        ...axis,
        grid,
        ticks: { show: false },
        size: () => parseInt(getComputedStyle(element).getPropertyValue('--axis'), 10),
        splits: () => now.marks.map((mark) => placeOf(mark, now.marks.at(-1))),
        values: () => now.marks.map((mark) => shortAmount(mark, now.decimals)),
      },
    ],
    series: [
      {},
      {
        stroke: () => colour('--ink'),
        width: 1.5,
        points: { show: true, size: 5, fill: () => colour('--ink'), width: 0 },
      },
    ],
  };
}

/** The present value of a colour such as --ink. */
function colour(name) {
  const sample = document.createElement('i');
  sample.style.color = `var(${name})`;
  sample.hidden = true;
  document.body.append(sample);
  const value = getComputedStyle(sample).color;
  sample.remove();
  return value;
}

/** The room for a chart in its element, in pixels. */
function sizeOf(element) {
  return { width: element.clientWidth, height: element.clientHeight };
}

/** Keeps a chart as large as its element, and in the page's colours when these change. */
function followPage(plot, element) {
  const redraw = () => plot.redraw(false, true);
  new ResizeObserver(() => plot.setSize(sizeOf(element))).observe(element);
  addEventListener('themechange', redraw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
}
