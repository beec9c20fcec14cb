/** Accessibility of a page, as far as a program can check. */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeNode {
  readonly html: string;
  readonly failureSummary?: string;
  readonly element: { matches(selector: string): boolean };
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly AxeNode[];
  }[];
}

/** A fault of a third-party component: a rule of axe, and a selector of what breaks it. */
export type KnownFault = readonly [rule: string, selector: string];

/** The rules of axe that depend on colours. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** The findings of axe, a line each, without those of third-party components. */
export async function violationsOf(
  page: Page,
  rules: 'all' | 'of colours' = 'all',
  known: readonly KnownFault[] = [],
): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(SOURCE);
  const asked = { faults: known, only: rules === 'all' ? {} : { runOnly: OF_COLOURS } };
  const { violations } = await page.evaluate(async ({ faults, only }) => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResult> } };
    // Without style sheets: no rule that runs needs them, and the sandboxed reference may not fetch them.
    const preload = { assets: ['media'] };
    const found = await axe.run({ elementRef: true, resultTypes: ['violations'], preload, ...only });
    const isKnown = (rule: string, { element }: AxeNode): boolean =>
      faults.some(([id, selector]) => id === rule && element.matches(selector));
    const rest = found.violations.map(({ id, help, nodes }) => ({
      id,
      help,
      // An element itself cannot leave the page.
      nodes: nodes.filter((node) => !isKnown(id, node)).map((node) => ({ ...node, element: null })),
    }));
    return { violations: rest };
  }, asked);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 200)}: ${node.failureSummary ?? ''}`),
  );
}
