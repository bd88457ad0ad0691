import { commandClock, pause } from '../../ground/clock.ts'

export interface Shutdown {
  /** Time between `drain` and `close` after SIGTERM, seconds; 0 closes at once. */
  readonly drainSeconds: number
  readonly drain: () => void
  readonly close: () => Promise<void>
}

/**
 * SIGTERM drains, then closes. SIGINT, which a person at the terminal sends, closes at once. A second signal exits without
 * waiting.
 */
export function endOnSignal({ drainSeconds, drain, close }: Shutdown): void {
  let ending = false

  async function end(seconds: number): Promise<void> {
    if (seconds > 0) {
      drain()
      await pause(commandClock, seconds * 1000)
    }
    await close()
  }

  const on = (signal: 'SIGTERM' | 'SIGINT', seconds: number) =>
    process.on(signal, () => {
      if (ending) process.exit(1)
      ending = true
      void end(seconds).then(
        () => process.exit(0),
        () => process.exit(1),
      )
    })
  on('SIGTERM', drainSeconds)
  on('SIGINT', 0)
}
