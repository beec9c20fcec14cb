import type { HttpServer } from '@hindsight/http/types.ts';
import { safeNext } from '../domain/next-path.ts';
import { forgotPage } from '../pages/forgot.ts';
import { resetPage } from '../pages/reset.ts';
import { signInPage } from '../pages/sign-in.ts';
import type { AccountRouteDeps } from './account-deps.ts';
import type { FormErrors } from '../pages/parts/form.ts';
import { NO_EMAIL } from '../pages/parts/ways-in.ts';
import { textOf, type Form, type Query } from './forms.ts';
import { goTo, noticeOf, showPage, type Notices } from './pages.ts';
import { showConfirm } from './sign-in-again.ts';

/** By the `notice` in the URL. */
const NOTICES: Notices = {
  reset: 'Password changed. Sign in with it.',
  refused: 'Sign-in was cancelled.',
  unknown: 'That took too long or was started in another browser. Please try again.',
  different: 'You were signed out, and this sign-in isn’t linked to the account that you confirmed.',
  switched: 'You have signed out in the meantime. Nothing was linked.',
  failed: 'The sign-in provider didn’t respond. Try again or use another method.',
  bye: 'You’ve signed out.',
  deleted: 'Account deleted.',
};

/** Signing in and out with email and password. */
export function addSignIn(app: HttpServer, deps: AccountRouteDeps): void {
  const { context, visitors, passwords, ways } = deps;
  app.get<Query>('/sign-in', async (request, reply) => {
    const { next, again, notice } = request.query;
    const signedIn = await context.sessions.current(request.headers);
    if (signedIn !== null && again !== '1') return goTo(reply, safeNext(next));
    if (signedIn !== null) return showConfirm(deps, reply, signedIn, { form: null, next: safeNext(next) });
    const model = { ways, next: safeNext(next), email: '', notice: noticeOf(NOTICES, notice) };
    await showPage(context, reply, signInPage, model);
  });
  app.post<Form>('/sign-in', async (request, reply) => {
    const next = safeNext(textOf(request.body, 'next'));
    const email = textOf(request.body, 'email');
    const form = { email, password: textOf(request.body, 'password') };
    const account = await passwords.signIn(form, visitors.signingIn(request));
    if (account === null) {
      // The same for every reason.
      const errors = {
        form: 'Wrong email or password, or the email isn’t confirmed yet.',
      };
      return showPage(context, reply, signInPage, { ways, next, email, errors });
    }
    await visitors.signIn(reply, account);
    await goTo(reply, next);
  });
  app.post('/sign-out', async (request, reply) => {
    await visitors.sessions.close(request.headers);
    visitors.forget(reply);
    await goTo(reply, '/sign-in?notice=bye');
  });
}

export function addRecovery(app: HttpServer, { context, visitors, passwords, ways }: AccountRouteDeps): void {
  app.get('/forgot', (_request, reply) =>
    showPage(context, reply, forgotPage, { ways, email: '', sent: false }),
  );
  app.post<Form>('/forgot', async (request, reply) => {
    const email = textOf(request.body, 'email');
    const refuse = (errors: FormErrors) =>
      showPage(context, reply, forgotPage, { ways, email, sent: false, errors });
    if (!ways.email) return refuse({ form: NO_EMAIL });
    const fields = await passwords.forgot(email, visitors.returningSender(request));
    if (fields !== undefined) return refuse({ fields });
    await showPage(context, reply, forgotPage, { ways, email: '', sent: true });
  });
  app.get<Query>('/reset', async (request, reply) => {
    const token = typeof request.query.token === 'string' ? request.query.token : '';
    const invalid = !(await passwords.canReset(token));
    await showPage(context, reply, resetPage, { invalid, token }, invalid ? 410 : 200);
  });
  app.post<Form>('/reset', async (request, reply) => {
    const token = textOf(request.body, 'token');
    const form = { token, password: textOf(request.body, 'password') };
    const outcome = await passwords.reset(form, visitors.originOf(request));
    if (outcome === 'invalid') return showPage(context, reply, resetPage, { invalid: true, token }, 410);
    if ('id' in outcome) {
      // Another account's, perhaps: its dashboard would come in place of the sign-in.
      await visitors.sessions.close(request.headers);
      visitors.forget(reply);
      visitors.know(reply, outcome);
      return goTo(reply, '/sign-in?notice=reset');
    }
    const errors = { fields: { password: outcome.fault } };
    await showPage(context, reply, resetPage, { invalid: false, token, errors });
  });
}
