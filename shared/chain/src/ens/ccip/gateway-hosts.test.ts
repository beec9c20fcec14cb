import { describe, expect, it } from '@jest/globals';
import { ConfigError, load } from '@hindsight/kernel/config.ts';
import { gatewayHosts } from './gateway-hosts.ts';

describe('the list of gateways', () => {
  const settings = { ENS_CCIP_GATEWAYS: gatewayHosts('gateways that CCIP-read may ask') };
  const read = (value?: string): readonly string[] =>
    load(settings, { ENS_CCIP_GATEWAYS: value }).ENS_CCIP_GATEWAYS;

  it('is empty when not set, so that CCIP-read is off', () => {
    expect([read(), read(''), read(' , ')]).toEqual([[], [], []]);
  });

  it('has host names', () => {
    expect(read('api.coinbase.com, CCIP.ens.xyz')).toEqual(['api.coinbase.com', 'ccip.ens.xyz']);
  });

  it.each([
    'https://a.example.com',
    'a.example.com:443',
    'a.example.com/x',
    'localhost',
    '10.0.0.1',
    '[::1]',
    '*.a.com',
    '2130706433',
    '0x7f.1',
    'a..com',
    `${'a.'.repeat(126)}com`,
  ])('has not %s', (value) => {
    expect(() => read(`good.example.com,${value}`)).toThrow(ConfigError);
  });
});
