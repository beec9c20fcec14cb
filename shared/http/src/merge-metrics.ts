/** A process's metrics in Prometheus' text format, and what it is called. */
interface ProcessMetrics {
  readonly worker: string;
  readonly text: string;
}

interface Family {
  /** `# HELP` and `# TYPE`, which may appear only once. */
  readonly comments: Set<string>;
  readonly samples: string[];
}

const COMMENT = /^# (?:HELP|TYPE|UNIT) (\S+)/;
const SAMPLE = /^([^\s{]+)(?:\{(.*)\})?( .*)$/;

/** One text of several processes' metrics: families are kept together, samples get the label `worker`. */
export function mergeMetrics(processes: readonly ProcessMetrics[]): string {
  const families = new Map<string, Family>();
  for (const { worker, text } of processes) {
    let family: Family | undefined;
    for (const line of text.split('\n')) {
      const name = COMMENT.exec(line)?.[1];
      if (name !== undefined) {
        family = familyOf(families, name);
        family.comments.add(line);
        continue;
      }
      const sample = SAMPLE.exec(line);
      if (sample === null) continue;
      const [, metric = '', labels = '', value = ''] = sample;
      family ??= familyOf(families, metric);
      family.samples.push(`${metric}{${labels}${labels && ','}worker="${worker}"}${value}`);
    }
  }
  const lines = [...families.values()].flatMap(({ comments, samples }) => [...comments, ...samples]);
  return lines.map((line) => `${line}\n`).join('');
}

function familyOf(families: Map<string, Family>, name: string): Family {
  let family = families.get(name);
  if (family === undefined) families.set(name, (family = { comments: new Set(), samples: [] }));
  return family;
}
