import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { describe, expect, it } from 'vitest'

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url))

/** The output of the program. @throws {Error} that names the package to install, or the problem found. */
function promtool(...args: readonly string[]): string {
  try {
    return execFileSync('promtool', args, { cwd: deploy, encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new Error('This test needs promtool: apt install prometheus', { cause: error })
    }
    throw error
  }
}

describe('the alert rules', () => {
  it('the alert rules are valid for Prometheus', () => {
    expect(promtool('check', 'rules', 'alerts.yml')).toContain('SUCCESS')
  })

  it('the alert rules fire in an outage, when sign-ins fail and when somebody guesses, and not in normal operation', () => {
    expect(promtool('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS')
  })
})
