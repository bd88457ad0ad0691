const width = 24

/** A bar on a terminal; nothing where stderr goes anywhere else. */
export interface Progress {
  readonly update: (done: number, of: number) => void
  /** Takes it away again. */
  readonly end: () => void
}

/** How often it is drawn, milliseconds. */
const interval = 100

export function createProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!stream.isTTY) return { update: () => {}, end: () => {} }
  let drawn = Number.NEGATIVE_INFINITY
  return {
    update(done, of) {
      const now = performance.now()
      if (now - drawn < interval || of === 0) return
      drawn = now
      const filled = Math.round((width * done) / of)
      const percent = Math.round((100 * done) / of)
      stream.write(`\r[${'#'.repeat(filled).padEnd(width)}] ${String(percent).padStart(3)} %`)
    },
    end: () => void (drawn >= 0 && stream.write(`\r${' '.repeat(width + 8)}\r`)),
  }
}
