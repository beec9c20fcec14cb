import type { Project } from '@hindsight/projects/project.ts';
import { projectPath } from '../../domain/project-path.ts';
import type { Frame } from '../frame.ts';
import { html, type Html } from '../html.ts';
import { layout } from '../layout.ts';
import { notice } from './form.ts';

interface Below {
  readonly project: Project;
  readonly title: string;
  readonly notice?: string | undefined;
  readonly width?: 'text' | 'wide';
  /** Names of further modules of the page. */
  readonly modules?: readonly string[];
  /** Further links of the way to the page. */
  readonly way?: Html;
}

/** A page below a project's own, with the way back to it. */
export function projectPage(
  frame: Frame,
  { project, title, width = 'text', way, modules = [], ...below }: Below,
  body: Html,
): string {
  const { id, name } = project;
  return layout(
    frame,
    { title: `${title}: ${name}`, modules: ['copy', ...modules], styles: ['account'], width },
    html`<p class="way"><a href="${projectPath(id)}">${name}</a>${way}</p>
      <h1>${title}</h1>
      ${notice(below.notice)} ${body}`,
  );
}
