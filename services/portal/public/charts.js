/** What the portal's charts have in common: they are drawn on canvases, which know nothing of style sheets. */

export const FIGURES = '12px "Hindsight Figures", ui-monospace, monospace';

/** Steps between the marks of a scale of whole numbers: 1, 2 or 5 times a power of ten, in order. */
export const WHOLE_STEPS = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((power) => [1, 2, 5].map((n) => n * 10 ** power));

/** The present value of a colour such as --ink. */
export function colour(name) {
  const sample = document.createElement('i');
  sample.style.color = `var(${name})`;
  sample.hidden = true;
  document.body.append(sample);
  const value = getComputedStyle(sample).color;
  sample.remove();
  return value;
}

/** The room for a chart in its element, in pixels. */
export function sizeOf(element) {
  return { width: element.clientWidth, height: element.clientHeight };
}

/** Keeps a chart as large as its element, and in the page's colours when these change. */
export function followPage(plot, element) {
  const redraw = () => plot.redraw(false, true);
  new ResizeObserver(() => plot.setSize(sizeOf(element))).observe(element);
  addEventListener('themechange', redraw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
}
