/** Runs the `second-factor` command. */
import { withErrorHandling } from './terminal/failure.ts'
import { createProgram, usageExitCodeOf } from './program.ts'
import { readSecretFiles } from './serve/secret-files.ts'
import { watchOutput } from './watch-output.ts'

const args = process.argv.slice(2)
watchOutput(process.stdout)
await withErrorHandling(async () => {
  readSecretFiles(process.env, usageExitCodeOf(args))
  const program = await createProgram(args)
  await program.parseAsync()
})()
