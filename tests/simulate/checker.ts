/** Promises about usage, checked against the answers that clients got. */
import type { Broker } from './broker.ts';
import { limitsOf, type Customers } from './customers.ts';
import { MONTHS, type Ledger } from './ledger.ts';
import type { Store } from './store.ts';

interface Deps {
  readonly store: Store;
  readonly broker: Broker;
  readonly customers: Customers;
  readonly ledger: Ledger;
}

/** Promises that hold at any moment. @returns those that are broken */
export async function checkAlways({ store, customers, ledger }: Deps): Promise<string[]> {
  const broken: string[] = [];
  for (const [account, limit] of customers.all.flatMap((one) => [...limitsOf(one)])) {
    for (const month of MONTHS) {
      const answered = ledger.sure(account, month);
      const { requests, taken } = await store.ledger.read(account, month);
      const of = `${account} in ${month}`;
      if (answered > limit) broken.push(`${of}: ${answered} units answered, ${limit} are the limit`);
      if (taken > limit) broken.push(`${of}: ${taken} units leased, ${limit} are the limit`);
      const { most } = ledger.ofMonth(account, month);
      if (requests > most) broken.push(`${of}: ${requests} units counted, ${most} at most were asked for`);
    }
  }
  return broken;
}

/** Promises that hold once every process has ended well and everything is counted. */
export async function checkAtEnd(deps: Deps): Promise<string[]> {
  const { store, broker, customers, ledger } = deps;
  const broken = await checkAlways(deps);
  for (const account of customers.all.flatMap((one) => [...limitsOf(one).keys()])) {
    let counted = 0;
    for (const month of MONTHS) {
      const { requests, taken } = await store.ledger.read(account, month);
      const { least } = ledger.ofMonth(account, month);
      const of = `${account} in ${month}`;
      counted += requests;
      if (requests < least) broken.push(`${of}: ${requests} units counted, ${least} answered`);
      if (taken !== requests) broken.push(`${of}: ${taken} units leased, ${requests} counted, all returned`);
    }
    const { least, most } = ledger.ofAll(account);
    if (counted < least || counted > most)
      broken.push(`${account}: ${counted} units counted, ${least} to ${most} answered`);
  }
  for (const month of MONTHS) {
    for (const { project, requests, daily, producers } of await store.ledger.audit(month, '', 100)) {
      const sums = [daily, producers?.counted ?? requests];
      if (sums.some((sum) => sum !== requests))
        broken.push(`${project} in ${month}: ${requests} units counted, ${sums.join(' and ')} in its parts`);
    }
  }
  for (const letter of broker.deadLetters)
    broken.push(`a dead letter: ${letter.topic} ${JSON.stringify(letter.headers)}`);
  return broken;
}
