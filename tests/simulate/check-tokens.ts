/** Once all faults are over, each instance of the tokens service soon lists every final token. */
import { exchange } from './http.ts';
import type { Machine } from './machine/machine.ts';
import type { Place } from './place.ts';
import type { Page, TokenList } from './token-list.ts';

interface Deps {
  readonly machine: Machine;
  readonly list: TokenList;
  readonly tokens: readonly Place[];
}

const WITHIN_MS = 5 * 60_000;
const AGAIN_MS = 10_000;
const PATIENT_MS = 30_000;
const MOST_ON_PAGE = 100;

/** @returns the broken promises */
export async function checkTokens(deps: Deps): Promise<string[]> {
  const { machine, list, tokens } = deps;
  const expected = list.final.length;
  const late = new Set(tokens.map(({ name }) => name));
  const broken: string[] = [];
  for (const place of tokens) {
    const look = (): void =>
      ask(deps, place, (page) => {
        const falsehood = page && list.falsehoodInPage(page, 0);
        if (falsehood !== undefined) broken.push(`${place.name}: ${falsehood}`);
        if (page !== undefined && page.total >= expected) late.delete(place.name);
        else machine.after(AGAIN_MS, look, machine.world);
      });
    look();
  }
  await machine.settle(WITHIN_MS, () => late.size === 0 || broken.length > 0);
  return [
    ...broken,
    ...[...late].map((name) => `${name} lists fewer than the ${expected} tokens of final blocks`),
  ];
}

/** The last page, so that the list is as long as it says. */
function ask({ machine, list }: Deps, place: Place, onPage: (page: Page | undefined) => void): void {
  const { app, process } = place;
  if (app === undefined || !process.alive) return void machine.after(AGAIN_MS, () => onPage(undefined));
  const page = Math.max(1, Math.ceil(list.mostListed / MOST_ON_PAGE));
  const path = `/v1/eth-mainnet/token?page=${page}&limit=${MOST_ON_PAGE}`;
  exchange(machine, { process, app }, { path, headers: {}, patienceMs: PATIENT_MS }, (answer) =>
    onPage(answer?.status === 200 ? (JSON.parse(answer.body) as Page) : undefined),
  );
}
