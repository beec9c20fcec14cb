/** Accessibility of a page, as far as a program can check. */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeNode {
  readonly html: string;
  readonly failureSummary?: string;
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly AxeNode[];
  }[];
}

/** The findings of axe, a line each. */
export async function violationsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(SOURCE);
  const { violations } = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResult> } };
    // Without style sheets: no rule that runs needs them, and the sandboxed reference may not fetch them.
    return axe.run({ resultTypes: ['violations'], preload: { assets: ['media'] } });
  });
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 200)}: ${node.failureSummary ?? ''}`),
  );
}
