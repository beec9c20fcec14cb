/** Mends parts of Scalar's markup (1.72.1) that lack a name or have a wrong role, whenever it renders them. */

/** Selector of parts with a fault → their right attributes; null removes one. */
const MENDED = {
  // A field for a header or a parameter: a combobox without a name, and without its state while it is closed.
  '.code-input-lite__editor:not([aria-label])': { 'aria-label': 'Value' },
  '[role=combobox]:not([aria-expanded])': { 'aria-expanded': 'false' },
  // A button with a picture alone.
  'button[class*="copy-button"]:not([aria-label])': { 'aria-label': 'Copy' },
  // It controls a code block of another id.
  'button[class*="copy-button"][aria-controls]': { 'aria-controls': null },
  // A button that says it is none.
  'button[role=none]': { role: 'button' },
  // The bar with the menu of a narrow page: its header would be the page's second banner.
  '.t-doc__header:not([role])': { role: 'navigation', 'aria-label': 'Contents' },
  '.t-doc__header > header:not([role])': { role: 'none' },
  // A list that scrolls on a narrow page.
  'ul.endpoints:not([tabindex])': { tabindex: '0' },
  // Parts of the dialog, and a part of each endpoint: landmarks that share their names with others.
  '[aria-modal=true] section.contents:not([role])': { role: 'group' },
  '.response-card[role=region]': { role: 'group' },
  '[aria-modal=true] > section[aria-label^="Notifications"]': { 'aria-label': 'Messages of the API client' },
  // The answer: a text box without a name, in a part that scrolls.
  '.cm-content:not([aria-label])': { 'aria-label': 'Code' },
  '.cm-scroller[tabindex="-1"]': { tabindex: '0' },
};

let isDue = false;

function mend() {
  isDue = false;
  for (const [selector, attributes] of Object.entries(MENDED)) {
    for (const element of document.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(attributes)) {
        if (value === null) element.removeAttribute(name);
        else element.setAttribute(name, value);
      }
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

const isOpen = () => document.querySelector('.scalar-client--open') !== null;

/** Makes the page behind the open dialog inert: its main landmark would be a second one. */
function setInert() {
  document.querySelector('.references-rendered')?.toggleAttribute('inert', isOpen());
}

/** The open dialog takes the focus before the page loses it; a closed one gives it back at once. */
function followDialog() {
  if (isOpen()) requestAnimationFrame(setInert);
  else setInert();
}

// Scalar locks the scrolling of the body while the dialog is open.
new MutationObserver(followDialog).observe(document.body, { attributeFilter: ['style'] });
