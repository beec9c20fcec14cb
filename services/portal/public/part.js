/**
 * Takes a part of this page as the server writes it now.
 * @throws {Error} if the page, or the part on it, cannot be had
 */
export async function renew(selector) {
  const response = await fetch(location.pathname, { headers: { accept: 'text/html' } });
  const page = new globalThis.DOMParser().parseFromString(await response.text(), 'text/html');
  const [old, fresh] = [document, page].map((each) => each.querySelector(selector));
  if (!response.ok || !fresh) throw new Error(`no ${selector} on the page`);
  replace(old, fresh);
}

/** Replaces a part; what was folded out or scrolled stays so, and the keyboard's focus stays where it was. */
export function replace(old, fresh) {
  const all = (selector) => [old, fresh].map((part) => [...part.querySelectorAll(selector)]);
  const [folds, freshFolds] = all('details');
  freshFolds.forEach((fold, i) => (fold.open = folds[i]?.open ?? false));
  const [tables, freshTables] = all('.scroll');
  const places = tables.map(({ scrollLeft: left, scrollTop: top }) => ({ left, top }));
  const [stops, freshStops] = all('summary, .scroll, pre, button');
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  // A link may have moved within a list.
  const link = focused?.getAttribute('href');
  const next = link
    ? [...fresh.querySelectorAll('a')].find((each) => each.getAttribute('href') === link)
    : freshStops[stops.indexOf(focused)];
  old.replaceWith(document.adoptNode(fresh));
  freshTables.forEach((table, i) => table.scrollTo(places[i] ?? {}));
  next?.focus({ preventScroll: true });
}
