/** Pages for a browser's tests, and where documents are, without a portal that runs. */
import { loadOpenApi } from '../../src/adapters/assets.ts';
import { loadGuides } from '../../src/adapters/guides.ts';
import { operationsOf } from '../../src/domain/reference.ts';
import { messagePage } from '../../src/pages/message.ts';

const API = 'http://127.0.0.1:8080';

/** The page of a fault that no address brings about: its store is unavailable. */
export function unavailablePage(): string {
  const frame = { user: null, theme: 'auto', path: '/unavailable', mailbox: true } as const;
  return messagePage(frame, {
    status: 503,
    message: 'Accounts are unavailable right now.',
    requestId: '0f8b6c1e-5a27-4a4e-9d53-6a1f6f0f4f5e',
    retryAfter: 5,
  });
}

/** Paths of all guides and endpoints. */
export async function documentPaths(): Promise<readonly string[]> {
  const { loadReference } = loadOpenApi(API, ['eth-mainnet']);
  return [
    ...loadGuides(API).map(({ slug }) => `/docs/${slug}`),
    ...operationsOf(await loadReference()).map(({ slug }) => `/reference/${slug}`),
  ];
}
