/** A progress bar on stderr. Prints nothing when stderr is not a terminal. */
export interface Progress {
  readonly update: (done: number, total: number) => void
  /** Clears the bar. */
  readonly end: () => void
}

/** Characters. */
const width = 24

/** Minimum time between two updates, milliseconds. */
const interval = 100

export function createProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!stream.isTTY) return { update: () => {}, end: () => {} }
  let drawnAt = Number.NEGATIVE_INFINITY
  return {
    update(done, total) {
      const now = performance.now()
      if (now - drawnAt < interval || total === 0) return
      drawnAt = now
      const filled = Math.round((width * done) / total)
      const percent = Math.round((100 * done) / total)
      stream.write(`\r[${'#'.repeat(filled).padEnd(width)}] ${String(percent).padStart(3)} %`)
    },
    end: () => void (drawnAt >= 0 && stream.write(`\r${' '.repeat(width + 8)}\r`)),
  }
}
