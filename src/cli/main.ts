/** Runs the `second-factor` command. */
import { withErrorHandling } from './terminal/failure.ts'
import { watchOutput } from './terminal/watch-output.ts'
import { createProgram } from './program.ts'
import { readSecretFiles } from './serve/secret-files.ts'

watchOutput(process.stdout)
await withErrorHandling(async () => {
  readSecretFiles(process.env)
  const program = await createProgram(process.argv.slice(2))
  await program.parseAsync()
})()
