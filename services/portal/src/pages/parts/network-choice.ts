/** The choice of a network: nothing where only one is served. */
import type { ShownNetwork, ShownNetworks } from '../../domain/shown-networks.ts';
import { html, type Html } from '../html.ts';
import { hidden } from './form.ts';

interface Choice {
  readonly network: ShownNetwork;
  readonly networks: ShownNetworks;
}

/** Links to a page about each network. @param kept what else stays in the address */
export function networkChoice(
  path: string,
  { network, networks }: Choice,
  kept: Readonly<Record<string, string>> = {},
): Html | null {
  if (networks.length === 1) return null;
  return html`<nav class="networks" aria-label="Network">
    ${networks.map(
      ({ name }) =>
        html`<a
          href="${path}?${new URLSearchParams({ network: name, ...kept }).toString()}"
          ${name === network.name && html`aria-current="true"`}
          >${name}</a
        >`,
    )}
  </nav>`;
}

/** The network as a part of an address, of a page that has a choice. */
export function networkQuery({ network, networks }: Choice): Readonly<Record<string, string>> {
  return networks.length === 1 ? {} : { network: network.name };
}

/** The same as a field of a form. */
export function networkField(choice: Choice): readonly Html[] {
  return Object.entries(networkQuery(choice)).map(([name, value]) => hidden(name, value));
}
