/** What a scrape brings (prometheus.io, "Text-based format"). */
export interface Exposition {
  /** Help texts, by metric. */
  readonly help: Readonly<Record<string, string>>
  readonly samples: readonly Sample[]
}

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export function parseExposition(text: string): Exposition {
  const help: Record<string, string> = {}
  const samples: Sample[] = []
  for (const line of text.split('\n')) {
    const [, described, words] = /^# HELP (\w+) (.*)$/.exec(line) ?? []
    if (described !== undefined && words !== undefined) help[described] = words
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name !== undefined) samples.push({ name, labels: readLabels(labels), value: Number(value) })
  }
  return { help, samples }
}

const readLabels = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name, value]))

/** The PromQL in a dashboard of Grafana, or in alert rules. */
export function expressionsOf(text: string): string[] {
  if (text.startsWith('{'))
    return [...text.matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(([, json = '""']) => String(JSON.parse(json)))
  return [...text.matchAll(/^ +expr: (?:>-\n((?: {10}.*\n)+)|(.*)\n)/gm)].map(([, folded, line = '']) =>
    (folded ?? line).replaceAll(/\s+/g, ' ').trim(),
  )
}

/** What is asked of a metric: labels that are compared, and those that its sum is grouped by. */
export interface Selector {
  readonly name: string
  readonly labels: readonly string[]
}

export function selectorsOf(expression: string): Selector[] {
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/, */))
  return [...expression.matchAll(/\b(second_factor_\w+|nodejs_\w+|process_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', matchers = '']) => ({
      name,
      labels: [...[...matchers.matchAll(/(\w+)(?:=~|!~|!=|=)/g)].map(([, label = '']) => label), ...grouped],
    }),
  )
}
