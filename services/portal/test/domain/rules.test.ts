import { describe, expect, it } from '@jest/globals';
import { withIdentity, withoutIdentity, type Account, type Identity } from '../../src/domain/account.ts';
import { deviceOf } from '../../src/domain/device.ts';
import { readMessage, writeMessage } from '../../src/domain/eip4361.ts';
import { parseEmail } from '../../src/domain/email.ts';
import { HOME, safeNext } from '../../src/domain/next-path.ts';

describe('email addresses', () => {
  it.each([
    [' Ada@Example.ORG ', 'ada@example.org'],
    ['a.b+c@sub.example.co', 'a.b+c@sub.example.co'],
    ['x@xn--bcher-kva.example', 'x@xn--bcher-kva.example'],
  ])('%s is %s', (text, address) => expect(parseEmail(text)).toBe(address));

  it.each([
    ...['', 'ada', 'ada@', '@example.org', 'a@b', 'a b@example.org', 'a@example..org', 'ada@-example.org'],
    ...[
      'a@example.org\nbcc: b@example.org',
      'a@example.org,b@example.org',
      '<a@example.org>',
      'ä@example.org',
    ],
    ...[`${'x'.repeat(65)}@example.org`, `a@${'x.'.repeat(130)}org`, undefined, 7],
  ])('%j is invalid', (text) => expect(parseEmail(text)).toBeNull());
});

describe('the path to continue to', () => {
  it.each([
    '/',
    '/account',
    '/dashboard/projects/1?done=created',
    '/demo#x',
    '/a/../account',
    '/%2F%2Fevil.example',
  ])('%s stays on this site', (path) => expect(safeNext(path).startsWith('/')).toBe(true));
  it('is kept unchanged', () => expect(safeNext('/dashboard?x=1#y')).toBe('/dashboard?x=1#y'));
  it.each([
    '//evil',
    '/\\evil',
    '\\evil',
    'https://evil',
    '/a/..//evil',
    '/.//evil',
    '/\tx',
    ' /x',
    'x',
    '',
    null,
    7,
    `/${'x'.repeat(500)}`,
  ])('%j becomes the dashboard', (path) => expect(safeNext(path)).toBe(HOME));
});

describe('messages of EIP-4361', () => {
  const said = {
    ...{
      domain: 'portal.example:8090',
      address: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
      uri: 'https://portal.example',
    },
    ...{
      chainId: 1,
      nonce: 'abcdef0123456789',
      issuedAt: Date.UTC(2026, 10, 21),
      expiresAt: Date.UTC(2026, 10, 22),
    },
  };

  it('are read back as written', () => {
    expect(readMessage(writeMessage(said))).toEqual({ ...said, notBefore: null });
    const endless = { ...said, expiresAt: null };
    expect(readMessage(writeMessage(endless))).toEqual({ ...endless, notBefore: null });
  });

  it('may have no statement, and more fields', () => {
    const text = writeMessage(said).replace('Sign in to Hindsight.\n', '');
    expect(readMessage(`${text}\nRequest ID: 7\nResources:\n- https://portal.example`)).toEqual({
      ...said,
      notBefore: null,
    });
  });

  it.each<[string, (text: string) => string]>([
    ['a wrong checksum', (text) => text.replace('0xd8dA', '0xD8dA')],
    ['fields in another order', (text) => text.replace(/(URI: .*)\n(Version: 1)/, '$2\n$1')],
    ['a field twice', (text) => text.replace(/(Nonce: .*)/, '$1\n$1')],
    ['an invalid date', (text) => text.replace('2026-11-21', '2026-13-21')],
    ['a short nonce', (text) => text.replace(said.nonce, 'abc')],
    ['other line ends', (text) => text.replaceAll('\n', '\r\n')],
    ['too much', (text) => text.replace('Sign in', 'x'.repeat(3_000))],
  ])('with %s are rejected', (_words, change) => expect(readMessage(change(writeMessage(said)))).toBeNull());
});

describe('identities that were removed from an account', () => {
  const identity = (subject: string): Identity => ({ provider: 'github', subject, label: '', linkedAt: 0 });
  const account: Account = {
    id: '1',
    email: null,
    name: '',
    passwordHash: null,
    identities: [],
    createdAt: 0,
    epoch: 0,
    version: 0,
  };
  const removing = (from: Account, each: Identity): Account =>
    withoutIdentity({ ...from, identities: [...from.identities, each] }, each);

  it('are remembered once each, until they are linked again', () => {
    const once = removing(removing(removing(account, identity('a')), identity('b')), identity('a'));
    expect([once.identities, once.removed]).toEqual([[], ['github:b', 'github:a']]);
    const again = withIdentity(once, identity('b'));
    expect([again.identities, again.removed]).toEqual([[identity('b')], ['github:a']]);
  });

  it('are limited to the latest ones', () => {
    const subjects = Array.from({ length: 60 }, (_, i) => `${i}`);
    const { removed } = subjects.map(identity).reduce(removing, account);
    expect(removed).toEqual(subjects.slice(10).map((subject) => `github:${subject}`));
  });
});

it('browsers get their common names', () => {
  expect(
    deviceOf('Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0'),
  ).toBe('Edge on Windows');
  expect(deviceOf('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1')).toBe(
    'Safari on iOS',
  );
  expect(deviceOf('Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/140.0 Safari/537.36')).toBe(
    'Chrome on Linux',
  );
  expect(deviceOf('curl/8.0')).toBe('curl');
  expect(deviceOf('<script>')).toBe('A browser');
});
