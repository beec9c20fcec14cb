/** Accessibility of a page, as far as a program can check. */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { contrastOf } from './contrast.ts';
import { displayChangesOf } from './display.ts';

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

interface Window {
  readonly axe: { run(context: string, options: object): Promise<AxeResult> };
}

/** The findings of axe, a line each. */
export function violationsOf(page: Page): Promise<string[]> {
  return findingsOf(page, {});
}

/**
 * Its findings about anything but contrast.
 * @param part a selector: of this alone, and not of the page as a whole
 */
export function structureViolationsOf(page: Page, part?: string): Promise<string[]> {
  return findingsOf(page, { rules: { 'color-contrast': { enabled: false } } }, part);
}

/** Rules whose findings depend on more than what is displayed: on what scrolls at a width, and on the colours of links. */
const RULES_OF_WIDTHS = ['scrollable-region-focusable', 'link-in-text-block'];

/**
 * Its findings about anything but contrast, in a window of another width than `noteDisplay` was called in. If the width
 * shows and hides only what has been judged, two rules are enough.
 * @param judged what the width shows and hides on pages before; that of this page is added
 * @param part as in `structureViolationsOf`
 */
export async function widthViolationsOf(page: Page, judged: Set<string>, part?: string): Promise<string[]> {
  const changes = await noteDisplay(page);
  const isNew = changes.some((change) => !judged.has(change));
  for (const change of changes) judged.add(change);
  return isNew ? structureViolationsOf(page, part) : findingsOf(page, { runOnly: RULES_OF_WIDTHS }, part);
}

/** @returns what the page shows and hides since this was called before; on a new page, all that it shows */
export function noteDisplay(page: Page): Promise<string[]> {
  return page.evaluate(displayChangesOf);
}

/**
 * Its findings about contrast, of text in colours that it has not judged yet: most elements of most pages have the same.
 * @param judged combinations of colours; those of this page are added
 * @param part a selector: of text in this alone
 */
export async function contrastViolationsOf(
  page: Page,
  judged: Set<string>,
  part = 'body',
): Promise<string[]> {
  await inject(page);
  const { lines, judgedHere } = await page.evaluate(contrastOf, { judged: [...judged], part });
  for (const colours of judgedHere) judged.add(colours);
  return lines;
}

async function findingsOf(page: Page, options: object, part?: string): Promise<string[]> {
  await inject(page);
  const violations = await page.evaluate(
    async ([chosen, within]) => {
      const { axe } = globalThis as unknown as Window;
      // Without style sheets: no rule that runs needs them, and the sandboxed reference may not fetch them.
      const fixed = { resultTypes: ['violations'], preload: { assets: ['media'] }, selectors: false };
      return (await axe.run(within, { ...fixed, ...chosen })).violations;
    },
    [options, part ?? 'html'] as const,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 200)}: ${node.failureSummary ?? ''}`),
  );
}

async function inject(page: Page): Promise<void> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(SOURCE);
}
