import { commandClock, pause } from '../../clock.ts'

export interface Ending {
  /** How long to go on between `drain` and `close` after SIGTERM, seconds; 0 for not at all. */
  readonly drainSeconds: number
  readonly drain: () => void
  readonly close: () => Promise<void>
}

/**
 * SIGTERM drains, then closes; SIGINT, which is a person at the terminal, closes at once. A second signal ends the process
 * without waiting for anything.
 */
export function endOnSignal({ drainSeconds, drain, close }: Ending): void {
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
