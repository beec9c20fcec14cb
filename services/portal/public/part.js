/**
 * Takes a part of this page as the server writes it now; what was folded out stays so.
 * @throws {Error} if the page, or the part on it, cannot be had
 */
export async function renew(selector) {
  const response = await fetch(location.pathname, { headers: { accept: 'text/html' } });
  const page = new globalThis.DOMParser().parseFromString(await response.text(), 'text/html');
  const [old, fresh] = [document, page].map((each) => each.querySelector(selector));
  if (!response.ok || !fresh) throw new Error(`no ${selector} on the page`);
  const folds = old.querySelectorAll('details');
  fresh.querySelectorAll('details').forEach((fold, i) => (fold.open = folds[i]?.open ?? false));
  old.replaceWith(document.adoptNode(fresh));
}
