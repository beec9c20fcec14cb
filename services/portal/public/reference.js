/** Starts Scalar on the OpenAPI document of this host: no fonts, no telemetry, no proxy, nothing from anybody else. */
const place = document.querySelector('#reference');

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

function start() {
  const { demoKey } = place.dataset;
  place.replaceChildren();
  const reference = globalThis.Scalar.createApiReference(place, {
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
  });
  const follow = () => reference?.updateConfiguration?.({ forceDarkModeState: isDark() ? 'dark' : 'light' });
  new MutationObserver(follow).observe(document.documentElement, { attributeFilter: ['data-theme'] });
}

try {
  await load('/reference/scalar.js');
  start();
} catch {
  place.querySelector('[role=status]').textContent =
    'The reference could not be loaded. Try again in a moment.';
}
