/** Runs the `second-factor` command. */
import { withErrorHandling } from './terminal/failure.ts'
import { createProgram } from './program.ts'
import { readSecretFiles } from './serve/secret-files.ts'
import { watchOutput } from './watch-output.ts'

watchOutput(process.stdout)
await withErrorHandling(async () => {
  readSecretFiles(process.env)
  const program = await createProgram(process.argv.slice(2))
  await program.parseAsync()
})()
