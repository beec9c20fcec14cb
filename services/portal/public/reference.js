/** Starts Scalar on the OpenAPI document of this host: no fonts, no telemetry, no proxy, no third parties. */
const place = document.querySelector('#reference');
const status = place.querySelector('[role=status]');

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
    url: '/openapi.json',
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
  new MutationObserver(follow).observe(document.documentElement, { attributeFilter: ['data-theme'] });
}

try {
  await load('/reference/scalar.js');
  start();
} catch {
  // Scalar may have taken its place already, and failed then.
  place.replaceChildren(status);
  status.textContent = 'The reference couldn’t be loaded. Try again in a moment.';
}
