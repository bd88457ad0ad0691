import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'

const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8')

/** Headings that are a message, as people see it. `…` stands for what differs. */
const messages = [...page.matchAll(/^### `([^`]+)`$/gm)].map(([, message = '']) => message)

/** What the package can say: texts that are put together over several lines as one. */
const source = globSync('src/**/*.{ts,tsx}', { cwd: root })
  .map((file) =>
    readFileSync(join(root, file), 'utf8')
      .replaceAll(/['"`]\s*\+\s*['"`]/g, '')
      .replaceAll("\\'", "'"),
  )
  .join('\n')

describe('the messages that troubleshooting explains', () => {
  it.each(messages)('troubleshooting explains a message that exists: %s', (message) => {
    const parts = message.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))

    expect(new RegExp(parts.join('[^\\n]*?')).test(source)).toBe(true)
  })

  it('troubleshooting explains more than 40 messages', () => {
    expect(messages.length).toBeGreaterThan(40)
  })
})
