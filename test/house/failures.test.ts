import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { failures } from '../../scripts/failures.ts'

const root = '/checkout'

/** A report as vitest writes it. */
async function reportOf(...testResults: readonly object[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'second-factor-report-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const report = join(folder, 'vitest.json')
  await writeFile(report, JSON.stringify({ success: false, testResults }))
  return report
}

const file = (name: string, ...assertionResults: readonly object[]) => ({
  name: `${root}/test/${name}`,
  status: 'failed',
  message: '',
  assertionResults,
})
const passed = (title: string) => ({ ancestorTitles: ['a thing'], title, status: 'passed', failureMessages: [] })
const failed = (title: string, message: string) => ({
  ancestorTitles: ['a thing', 'of a kind'],
  title,
  status: 'failed',
  failureMessages: [message],
})

describe('the end of the output of the check', () => {
  it('the summary of failures lists each failed test with its file and the first line of its error', async () => {
    const report = await reportOf(
      file('a.test.ts', passed('works'), failed('breaks', '\nAssertionError: expected 1 to be 2\n    at a.test.ts:3')),
      file('b.test.ts', failed('hangs', 'Error: Test timed out in 60000ms.')),
    )

    expect(await failures({ report, root })).toEqual([
      'FAILED: test/a.test.ts > a thing > of a kind > breaks',
      '  AssertionError: expected 1 to be 2',
      'FAILED: test/b.test.ts > a thing > of a kind > hangs',
      '  Error: Test timed out in 60000ms.',
    ])
  })

  it('the summary of failures includes what Playwright waited for', async () => {
    const message =
      "locator.waitFor: Timeout 20000ms exceeded.\nCall log:\n\u001B[2m  - waiting for getByText('x')\u001B[22m\n"
    const report = await reportOf(file('a.test.ts', failed('shows x', message)))

    const [, error] = await failures({ report, root })

    expect(error).toBe("  locator.waitFor: Timeout 20000ms exceeded. - waiting for getByText('x')")
  })

  it('the summary of failures lists a file that cannot be loaded', async () => {
    const report = await reportOf({ ...file('a.test.ts'), message: 'Cannot find module ./x.ts\nat a.test.ts:1' })

    expect(await failures({ report, root })).toEqual(['FAILED: test/a.test.ts', '  Cannot find module ./x.ts'])
  })

  it('the summary of failures counts the failures beyond the maximum', async () => {
    const report = await reportOf(file('a.test.ts', failed('one', 'x'), failed('two', 'y'), failed('three', 'z')))

    const lines = await failures({ report, root, max: 1 })

    expect(lines).toEqual(['FAILED: test/a.test.ts > a thing > of a kind > one', '  x', 'and 2 more'])
  })

  it('the summary of failures is empty when nothing failed, and when there is no report', async () => {
    const report = await reportOf({ ...file('a.test.ts', passed('works')), status: 'passed' })

    expect(await failures({ report, root })).toEqual([])
    expect(await failures({ report: `${report}.missing`, root })).toEqual([])
  })
})
