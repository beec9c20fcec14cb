/** The script of every page, on the few parts of a page that it needs. */
import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { signInPage } from '../../src/pages/sign-in.ts';
import { signUpPage } from '../../src/pages/sign-up.ts';

const SCRIPT = readFileSync(new URL('../../public/theme.js', import.meta.url), 'utf8');

type Listener = (event: object) => void;

/** Runs the script. @returns a function that brings it an event */
function open(cookieEnabled = true, notes: readonly { hidden: boolean }[] = []) {
  const listeners = new Map<string, Listener>();
  runInNewContext(SCRIPT, {
    document: {
      documentElement: { dataset: {} },
      querySelector: () => null,
      querySelectorAll: (selector: string) => (selector === '[data-without-cookies]' ? notes : []),
    },
    navigator: { cookieEnabled },
    addEventListener: (kind: string, listener: Listener) => void listeners.set(kind, listener),
  });
  return (kind: string, event: object) => listeners.get(kind)!(event);
}

it('a form is sent once within ten seconds, and again after the browser’s Back', () => {
  const bring = open();
  const form = { method: 'post' };
  const isSent = (timeStamp: number): boolean => {
    let sent = true;
    bring('submit', { target: form, timeStamp, preventDefault: () => void (sent = false) });
    return sent;
  };
  expect([isSent(1_000), isSent(1_300)]).toEqual([true, false]);
  bring('pageshow', { persisted: true });
  expect([isSent(2_000), isSent(2_300), isSent(12_001)]).toEqual([true, false, true]);
});

it('a browser that refuses cookies is told so where it would sign in', () => {
  const shown = (cookieEnabled: boolean): boolean => {
    const note = { hidden: true };
    open(cookieEnabled, [note]);
    return !note.hidden;
  };
  expect([shown(true), shown(false)]).toEqual([false, true]);
  const frame = { user: null, theme: 'auto', path: '/sign-in', mailbox: false } as const;
  const model = { next: '/', email: '', ways: { email: true, github: false, google: false } };
  for (const page of [signInPage, signUpPage])
    expect(page(frame, model)).toContain('data-without-cookies hidden');
});
