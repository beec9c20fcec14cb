/**
 * Starts Scalar on the OpenAPI document of this host: no fonts, no telemetry, no proxy, no third parties. The page is
 * sandboxed, so that Scalar cannot reach the reader's session.
 */
const place = document.querySelector('#reference');
const [before] = place.children;

/** A sandboxed page has no storage; without one Scalar does not start. What it keeps here ends with the page. */
function memoryStorage() {
  const items = new Map();
  return {
    getItem: (name) => items.get(String(name)) ?? null,
    setItem: (name, value) => void items.set(String(name), String(value)),
    removeItem: (name) => void items.delete(String(name)),
    clear: () => items.clear(),
    key: (index) => [...items.keys()][index] ?? null,
    get length() {
      return items.size;
    },
  };
}

function isDark() {
  const { theme } = document.documentElement.dataset;
  if (theme === 'dark' || theme === 'light') return theme === 'dark';
  return matchMedia('(prefers-color-scheme: dark)').matches;
}

function load(address) {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    script.addEventListener('load', resolve);
    script.addEventListener('error', reject);
    document.head.append(script);
  });
}

function configuration(demoKey) {
  return {
    content: globalThis.openApi,
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    hideDarkModeToggle: true,
    showDeveloperTools: 'never',
    persistAuth: false,
    forceDarkModeState: isDark() ? 'dark' : 'light',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    authentication: {
      preferredSecurityScheme: 'projectKey',
      securitySchemes: { projectKey: { value: demoKey } },
    },
  };
}

function start() {
  const { demoKey } = place.dataset;
  place.replaceChildren();
  globalThis.Scalar.createApiReference(place, configuration(demoKey));
  // Its colours depend on two classes of the body; changing its settings would reload the document.
  const follow = () => {
    document.body.classList.toggle('dark-mode', isDark());
    document.body.classList.toggle('light-mode', !isDark());
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', follow);
}

Object.defineProperty(globalThis, 'localStorage', { value: memoryStorage() });
try {
  await Promise.all([load('/reference/scalar.js'), load('/reference/openapi.js')]);
  start();
} catch {
  // Scalar may have taken its place already, and failed then.
  place.replaceChildren(before);
  before.querySelector('[role=status]').textContent =
    'The explorer couldn’t be loaded. Try again in a moment.';
}
