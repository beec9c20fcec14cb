import { html, type Html } from '../html.ts';
import { formError, hidden, type FormErrors } from './form.ts';
import { moment } from './format.ts';
import { walletButton, type WaysIn } from './ways-in.ts';

/** A linked way to sign in. */
export interface LinkedSignIn {
  readonly id: string;
  readonly provider: 'github' | 'google' | 'wallet';
  /** The reader's name there: a login, an address. */
  readonly label: string;
  readonly linkedAt: Date;
  /** False for the only way to sign in. */
  readonly removable: boolean;
}

const TITLES = { github: 'GitHub', google: 'Google', wallet: 'Ethereum wallet' };

/** Linking: GET /account/link/github|google, public/wallet.js for wallets; POST /account/unlink {id}. */
export function linkedSection(
  linked: readonly LinkedSignIn[],
  ways: WaysIn,
  errors: FormErrors | undefined,
): Html {
  const has = (provider: string) => linked.some((one) => one.provider === provider);
  return html`<section aria-labelledby="linked-title">
    <h2 id="linked-title">Ways to sign in</h2>
    ${formError(errors)}
    ${
      linked.length === 0
        ? html`<p class="empty">No linked accounts. You sign in with email and password.</p>`
        : html`<ul class="lines">
            ${linked.map(line)}
          </ul>`
    }
    <div class="actions">
      ${ways.github && !has('github') && html`<a class="button" href="/account/link/github">Link GitHub</a>`}
      ${ways.google && !has('google') && html`<a class="button" href="/account/link/google">Link Google</a>`}
      ${ways.wallet && walletButton({ purpose: 'link', text: 'Link a wallet', next: '/account' })}
    </div>
  </section>`;
}

function line({ id, provider, label, linkedAt, removable }: LinkedSignIn): Html {
  return html`<li>
    <span
      ><strong>${TITLES[provider]}</strong> <span class="figure">${label}</span>, since
      ${moment(linkedAt)}</span
    >
    ${
      removable &&
      html`<form method="post" action="/account/unlink">
        ${hidden('id', id)}
        <button type="submit" class="quiet" aria-label="Remove ${TITLES[provider]} ${label}">Remove</button>
      </form>`
    }
  </li>`;
}
