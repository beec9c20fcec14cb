import { expect, it } from '@jest/globals';
import { newAccount } from '../domain/account.ts';
import { confirmPage } from './confirm.ts';

const FRAME = { user: { label: 'Ada' }, theme: 'auto', path: '/sign-in', mailbox: false } as const;
const identities = [{ provider: 'github', subject: '7', label: 'ada', linkedAt: 0 }] as const;

it('says what helps an account whose only provider is turned off', () => {
  const text = (email: string | null, ways: { email: boolean; github: boolean }) =>
    confirmPage(FRAME, {
      ...{ purpose: 'change your account', form: null, next: '/account' },
      account: newAccount({ id: 'ada', email, createdAt: 0, identities }),
      ways: { google: false, ...ways },
    });
  expect(text('ada@example.org', { email: true, github: false })).toContain('href="/forgot">Set a password');
  for (const email of [null, 'ada@example.org'])
    expect(text(email, { email: false, github: false })).toContain('Contact your operator.');
  expect(text('ada@example.org', { email: true, github: true })).not.toContain('is turned off');
});
