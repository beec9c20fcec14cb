/** Gives parts of Scalar's markup (1.72.1) the names and roles that they lack, whenever it renders them anew. */

/** Selector of parts that lack something → what they get. */
const MENDED = {
  // A field for a header or a parameter: a combobox without a name, and without its state while it is closed.
  '.code-input-lite__editor:not([aria-label])': { 'aria-label': 'Value' },
  '.code-input-lite__editor[role=combobox]:not([aria-expanded])': { 'aria-expanded': 'false' },
  // A button with a picture alone.
  'button[class*="copy-button"]:not([aria-label])': { 'aria-label': 'Copy' },
  // The bar with the menu of a narrow page: its header would be the page's second banner.
  '.t-doc__header:not([role])': { role: 'navigation', 'aria-label': 'Contents' },
  '.t-doc__header > header:not([role])': { role: 'none' },
  // A list that scrolls on a narrow page.
  'ul.endpoints:not([tabindex])': { tabindex: '0' },
};

let isDue = false;

function mend() {
  isDue = false;
  for (const [selector, attributes] of Object.entries(MENDED)) {
    for (const element of document.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    }
  }
}

/** Once a frame: Scalar renders in many small steps. */
function mendSoon() {
  if (!isDue) requestAnimationFrame(mend);
  isDue = true;
}

new MutationObserver(mendSoon).observe(document.body, {
  subtree: true,
  childList: true,
  attributeFilter: ['aria-expanded', 'aria-label', 'role'],
});
