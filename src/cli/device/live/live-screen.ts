/** As much of a terminal as is written to. */
export interface Terminal {
  readonly columns?: number
  write(text: string): void
}

/** Draws lines over those that it drew before; what stood above stays. */
export function createScreen(terminal: Terminal) {
  let drawn = 0
  const back = () => (drawn > 0 ? `\u001b[${drawn}A` : '') + '\r\u001b[J'
  return {
    /** One column is left free: terminals differ in when they wrap. */
    width: () => Math.max(20, (terminal.columns ?? 80) - 1),
    draw(lines: readonly string[]): void {
      terminal.write(back() + lines.map((line) => `${line}\n`).join(''))
      drawn = lines.length
    },
    /** A line that stays, above the list. */
    note(line: string): void {
      terminal.write(`${back()}${line}\n`)
      drawn = 0
    },
    end(): void {
      terminal.write(back())
      drawn = 0
    },
  }
}
