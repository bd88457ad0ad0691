import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

import { z } from 'zod'

/** What is read of the JSON report of vitest. */
const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({
          ancestorTitles: z.array(z.string()),
          title: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
})

export interface FailureOptions {
  /** Of vitest's JSON reporter. */
  readonly report: string
  /** The folder that test files are named from. */
  readonly root: string
  /** How many failures are named; the others are counted. */
  readonly max?: number
}

/**
 * Names each test that failed, with the first line of its error: often only the end of an output is kept.
 * @returns two lines for each failure; none when nothing failed or nothing was reported.
 */
export async function failures({ report, root, max = 12 }: FailureOptions): Promise<string[]> {
  const text = await readFile(report, 'utf8').catch(() => '')
  if (text === '') return []
  const { testResults } = Report.parse(JSON.parse(text))
  const failed = testResults.flatMap((file) => {
    const path = relative(root, file.name)
    const tests = file.assertionResults
      .filter(({ status }) => status === 'failed')
      .map((test) => ({
        name: [path, ...test.ancestorTitles, test.title].join(' > '),
        message: test.failureMessages?.[0],
      }))
    // A file that could not be loaded, or whose set-up failed, has no failed test.
    return tests.length > 0 || file.status !== 'failed' ? tests : [{ name: path, message: file.message }]
  })
  const named = failed.slice(0, max).flatMap(({ name, message }) => [`FAILED: ${name}`, `  ${firstLine(message)}`])
  return failed.length > max ? [...named, `and ${failed.length - max} more`] : named
}

/** Long enough for two values that differ, short enough for a line. */
const maxLength = 300

/** With what Playwright waited for, which stands in its log. */
function firstLine(message = ''): string {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const waiting = lines.find((line) => /^(- )?waiting for /.test(line))
  return [lines[0] ?? 'no message', waiting].filter(Boolean).join(' ').slice(0, maxLength)
}
