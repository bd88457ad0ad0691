import { exitCode } from './terminal/failure.ts'

/**
 * Has a command fail whose output cannot be written, such as an export to a full disk. Node would drop the rest, and the script that
 * runs the command would go on.
 *
 * @param code The exit code of that failure.
 */
export function watchOutput(stdout: NodeJS.WriteStream, code: number = exitCode.failed): void {
  let isTold = false
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader such as `head` has all it wants.
    if (error.code === 'EPIPE') return
    process.exitCode = code
    if (isTold) return
    isTold = true
    void tell(error)
  })
}

/** Loads the explanations only now: most commands need none. */
async function tell(error: NodeJS.ErrnoException): Promise<void> {
  const { reasonFor } = await import('./database/failures.ts')
  console.error(`Can't write the output: ${reasonFor('', error)}`)
}
