import { html, type Html } from '../html.ts';
import { formError, type FormErrors } from './form.ts';
import { moment } from './format.ts';
import { walletButton, type WaysIn } from './ways-in.ts';

/** A way in that belongs to the account. */
export interface LinkedSignIn {
  readonly id: string;
  readonly provider: 'github' | 'google' | 'wallet';
  /** Who the reader is there: a login, an address. */
  readonly label: string;
  readonly linkedAt: Date;
  /** False for the last way in: without it nobody could sign in. */
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
        ? html`<p class="empty">Nothing is linked: you sign in with address and password.</p>`
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
        <input type="hidden" name="id" value="${id}" />
        <button type="submit" class="quiet" aria-label="Remove ${TITLES[provider]} ${label}">Remove</button>
      </form>`
    }
  </li>`;
}
