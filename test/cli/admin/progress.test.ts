import { describe, expect, it } from 'vitest'

import { createProgress } from '../../../src/cli/terminal/progress.ts'

function createStream(isTTY: boolean) {
  const written: string[] = []
  const write = (text: string) => written.push(text) > 0
  return { written, stream: { isTTY, write } as unknown as NodeJS.WriteStream }
}

describe('a progress bar', () => {
  it('a progress bar is drawn on a terminal and cleared at the end', () => {
    const { written, stream } = createStream(true)
    const progress = createProgress(stream)

    progress.update(1, 4)
    progress.end()

    expect(written[0]).toBe(`\r[${'#'.repeat(6)}${' '.repeat(18)}]  25 %`)
    expect(written[1]).toBe(`\r${' '.repeat(written[0]!.length - 1)}\r`)
  })

  it('a progress bar is drawn at most every 100 ms', () => {
    const { written, stream } = createStream(true)
    const progress = createProgress(stream)

    for (let done = 0; done < 1_000; done += 1) progress.update(done, 1_000)

    expect(written.length).toBeLessThan(10)
  })

  it('a progress bar is not drawn without a terminal or without work', () => {
    const elsewhere = createStream(false)
    const idle = createStream(true)

    for (const { stream } of [elsewhere, idle]) {
      const progress = createProgress(stream)
      progress.update(0, 0)
      if (stream === elsewhere.stream) progress.update(1, 2)
      progress.end()
    }

    expect([elsewhere.written, idle.written]).toEqual([[], []])
  })
})
