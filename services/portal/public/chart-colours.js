/** Colours of the page for canvases, which know nothing of style sheets. */

/** The present value of a colour such as --ink. */
export function colour(name) {
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  probe.hidden = true;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

export const FIGURES = '12px "Hindsight Figures", ui-monospace, monospace';

/** Calls back whenever the page's colours change. */
export function onThemeChange(redraw) {
  addEventListener('themechange', redraw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
}
