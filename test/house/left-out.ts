/** Whether `npm test` leaves out a test: it, or a suite around it, is defined for the full run. Reads formatted code. */
export function isLeftOut(source: string, title: string): boolean {
  const lines = source.replaceAll("\\'", "'").split('\n')
  const end = lines.findIndex((line) => line.includes(title))
  // `])('title', …` ends a table, which begins at the same depth.
  const start = /^\s*[\])]/.test(lines[end] ?? '') ? lastAt(lines, end, (depth) => depth === depthOf(lines[end])) : end
  for (let line = start; line >= 0; line = lastAt(lines, line, (depth) => depth < depthOf(lines[line])))
    if (/^\s*(inFullRun|describeInFullRun)\b/.test(lines[line] ?? '')) return true
  return false
}

/** The index of the last line before `end` whose depth is the wanted one, or -1. */
const lastAt = (lines: readonly string[], end: number, isWanted: (depth: number) => boolean): number =>
  lines.slice(0, end).findLastIndex((line) => line !== '' && isWanted(depthOf(line)))

const depthOf = (line = ''): number => line.length - line.trimStart().length
