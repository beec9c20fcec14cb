/** The network that a page is about. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ETH_MAINNET, NETWORKS } from '@hindsight/chain/networks.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { ShownNetworks } from '../../src/domain/shown-networks.ts';
import { runPortal } from '../support/run-portal.ts';

const GNOSIS = NETWORKS.get('gnosis-mainnet')!;
const CHOICE = '<nav class="networks" aria-label="Network">';
const OPERATION = '/reference/get-token-balance';

interface Page {
  readonly status: number;
  readonly text: string;
  /** Settings of the page's script. */
  readonly settings: unknown;
}

function describePortal(title: string, networks: ShownNetworks, body: Body): void {
  describe(title, () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-networks-'));
    const portal = forAllTests(() => runPortal({ dataDir }, { networks }), 'stop');
    afterAll(() => rmSync(dataDir, { recursive: true }));
    body(async (path) => {
      const answer = await portal.browser().get(path);
      const text = await answer.text();
      const json = /data-settings="([^"]*)"/.exec(text)?.[1]?.replaceAll('&quot;', '"');
      return { status: answer.status, text, settings: json === undefined ? undefined : JSON.parse(json) };
    });
  });
}
type Body = (open: (path: string) => Promise<Page>) => void;

describePortal('a portal of one network', [ETH_MAINNET], (open) => {
  it.each(['/', '/demo', '/wallet', '/token', OPERATION])('%s has no choice', async (path) => {
    const { status, text } = await open(path);
    expect(status).toBe(200);
    expect(text).not.toContain('network=');
    expect(text).not.toContain(CHOICE);
  });

  it('offers that one in the reference', async () => {
    expect((await open(OPERATION)).text).toContain('<td>eth-mainnet, in the path</td>');
  });
});

describePortal('a portal of two networks', [ETH_MAINNET, GNOSIS], (open) => {
  it.each(['/demo', '/wallet', OPERATION])('%s is about the first, and links to the other', async (path) => {
    const { text } = await open(path);
    expect(text).toContain(CHOICE);
    expect(text).toMatch(/network=eth-mainnet"\s+aria-current="true"/);
    expect(text).toMatch(/network=gnosis-mainnet"\s*>/);
    expect(text).toContain('/v1/eth-mainnet/');
    expect(text).not.toContain('/v1/gnosis-mainnet/');
  });

  it.each(['/demo', '/wallet', '/token'])(
    '%s passes the network and its coin to its script',
    async (path) => {
      const { settings, text } = await open(`${path}?network=gnosis-mainnet`);
      const coin = { symbol: 'xDAI', decimals: 18 };
      expect(settings).toMatchObject({ network: 'gnosis-mainnet', coin, several: true });
      expect(text).not.toContain('/v1/eth-mainnet/');
    },
  );

  it('keeps a wallet and its date, which is one moment everywhere, but no block', async () => {
    const holder = `0x${'aa'.repeat(20)}`;
    const dated = (await open(`/wallet?network=gnosis-mainnet&holder=${holder}&date=2024-01-01`)).text;
    expect(dated).toContain(`/wallet?network=eth-mainnet&amp;holder=${holder}&amp;date=2024-01-01T00%3A00"`);
    expect(dated).toContain('<input type="hidden" name="network" value="gnosis-mainnet" />');
    const pinned = (await open(`/wallet?network=gnosis-mainnet&holder=${holder}&block=7`)).text;
    expect(pinned).toContain('/wallet?network=eth-mainnet"');
  });

  it('asks for the latest block where no moment is named', async () => {
    const { text } = await open('/wallet?network=gnosis-mainnet');
    expect(text).toMatch(/\/v1\/gnosis-mainnet\/portfolio\?holder=0x\w{40}&#39;/);
  });

  it('has examples of the network in the reference, and offers the two', async () => {
    const { text } = await open(`${OPERATION}?network=gnosis-mainnet`);
    expect(text).toContain('/v1/gnosis-mainnet/balance/single?');
    expect(text).toContain('eth-mainnet or gnosis-mainnet, in the path');
    expect((await open('/reference/list-the-networks')).text).not.toContain(CHOICE);
    const { paths } = JSON.parse((await open('/openapi.json')).text) as { paths: object };
    const [, offered] = /"name":"network",.*?"enum":(\[.*?\])/.exec(JSON.stringify(paths)) ?? [];
    expect(JSON.parse(offered ?? '')).toEqual(['eth-mainnet', 'gnosis-mainnet']);
  });

  it.each(['/demo', '/wallet', '/token', OPERATION])(
    '%s of an unknown network is a 404 that names both',
    async (path) => {
      for (const query of ['network=base-mainnet', 'network=', 'network=a&network=b', 'network=__proto__']) {
        const { status, text } = await open(`${path}?${query}`);
        expect([query, status]).toEqual([query, 404]);
        expect(text).toContain('served: eth-mainnet, gnosis-mainnet');
      }
    },
  );
});

describePortal('a portal without mainnet', [GNOSIS], (open) => {
  it('asks its own network everywhere', async () => {
    for (const path of ['/', '/demo', '/wallet', OPERATION]) {
      const { text } = await open(path);
      expect(text).toContain('/v1/gnosis-mainnet/');
      expect(text).not.toContain('/v1/eth-mainnet/');
    }
  });
});
