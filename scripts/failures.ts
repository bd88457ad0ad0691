import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

import { z } from 'zod'

/** The part of vitest's JSON report that is used. */
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
  /** Path of the report of vitest's JSON reporter. */
  readonly report: string
  /** Paths of test files are relative to this folder. */
  readonly root: string
  /** Maximum number of failures that are listed; the others are only counted. */
  readonly max?: number
}

/**
 * Lists the failed tests with the first line of each error, because often only the end of an output is kept.
 * @returns Two lines per failure; none when nothing failed or there is no report.
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
    // A file that cannot be loaded, or whose setup fails, has no failed test.
    return tests.length > 0 || file.status !== 'failed' ? tests : [{ name: path, message: file.message }]
  })
  const lines = failed.slice(0, max).flatMap(({ name, message }) => [`FAILED: ${name}`, `  ${firstLine(message)}`])
  return failed.length > max ? [...lines, `and ${failed.length - max} more`] : lines
}

/** Long enough for two different values, short enough for one line. */
const maxLength = 300

/** Includes what Playwright waited for, from its log. */
function firstLine(message = ''): string {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const waiting = lines.find((line) => /^(- )?waiting for /.test(line))
  return [lines[0] ?? 'no message', waiting].filter(Boolean).join(' ').slice(0, maxLength)
}
