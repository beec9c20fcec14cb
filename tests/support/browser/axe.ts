/** Whether a page can be used by everybody, as far as a machine can tell. */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** What axe has against the page, a line each; without what other people's components are answerable for. */
export async function violationsOf(page: Page, without: readonly string[] = []): Promise<string[]> {
  await page.evaluate(SOURCE);
  const { violations } = await page.evaluate((exclude) => {
    const { axe } = globalThis as unknown as { axe: { run(context: object): Promise<AxeResult> } };
    return axe.run({ exclude });
  }, without);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 200)}: ${node.failureSummary ?? ''}`),
  );
}
