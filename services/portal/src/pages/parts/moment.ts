/** Parts of the pages that are about one moment: a block, or a date. */
import { html, type Html } from '../html.ts';
import { scriptSettings, type Demonstration } from '../showcase.ts';
import { facts } from './facts.ts';
import { field, formError, type Field, type FormErrors } from './form.ts';
import { networkField } from './network-choice.ts';

/** A moment, as in a page's address; the latest block without one. */
export interface Moment {
  readonly block: string;
  /** UTC, in the form of a browser's field: 2023-08-26T16:21. */
  readonly date: string;
}

export interface MomentModel extends Demonstration {
  readonly question: Moment;
  /** Why the question cannot be asked; nothing is asked then. */
  readonly errors?: FormErrors | undefined;
}

interface QuestionForm {
  /** The page's path. */
  readonly action: string;
  /** The page's own fields, before those of the moment. */
  readonly own: readonly Field[];
  /** Follows the form. */
  readonly below?: Html;
}

/** The section with the question of a page about a moment. */
export function momentForm(model: MomentModel, form: QuestionForm): Html {
  const { date, block } = model.question;
  const own: readonly Field[] = [
    ...form.own,
    { name: 'date', label: 'On date (UTC)', type: 'datetime-local', value: date },
    { name: 'block', label: 'or at block', value: block, numeric: true, autocomplete: 'off' },
  ];
  return questionForm(model, { ...form, own });
}

export function questionForm(
  model: Pick<MomentModel, 'errors' | keyof Demonstration>,
  { action, own, below }: QuestionForm,
): Html {
  const wrong = model.errors?.fields ?? {};
  return html`<section aria-labelledby="question-title">
    <h2 id="question-title">Query</h2>
    ${formError(model.errors)}
    <form
      id="question"
      class="question"
      action="${action}"
      data-settings="${JSON.stringify(scriptSettings(model))}"
    >
      ${networkField(model)} ${own.map((each) => field({ ...each, error: wrong[each.name] }))}
      <button type="submit" class="primary">Look up</button>
    </form>
    ${below}
  </section>`;
}

/** The moment in the API's parameters. */
export function momentParams({ date, block }: Moment): Readonly<Record<string, string>> {
  if (block !== '') return { block_height: block };
  return date === '' ? {} : { date: utcOf(date) };
}

/** A date of a browser's field in the API's form. */
export function utcOf(date: string): string {
  return `${date.padEnd(19, ':00')}Z`;
}

/** Facts about an answer, which public/demo/sheet.js fills in: those titles, and the block's. */
export function answerFacts(...titles: readonly string[]): Html {
  return emptyFacts([...titles, 'Block', 'Time', 'Finality', 'Block hash']);
}

/** Facts that a script fills in. */
export function emptyFacts(titles: readonly string[]): Html {
  return facts(
    Object.fromEntries(
      titles.map((title) => [title, html`<span class="figure" data-fact="${title}">–</span>`]),
    ),
  );
}
