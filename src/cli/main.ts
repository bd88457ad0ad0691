/** Runs the `second-factor` command. */
import { asksForHelp, createProgram, outputExitCodeOf, usageExitCodeOf } from './program.ts'
import { readSecretFiles } from './serve/secret-files.ts'
import { withErrorHandling } from './terminal/failure.ts'
import { watchOutput } from './watch-output.ts'

const args = process.argv.slice(2)
watchOutput(process.stdout, outputExitCodeOf(args))
await withErrorHandling(async () => {
  const program = await createProgram(args)
  try {
    readSecretFiles(process.env, usageExitCodeOf(args))
  } catch (error) {
    // The help explains these variables. A word that looks like a question for it can also be the value of an option.
    if (!asksForHelp(args)) throw error
    program.hook('preAction', () => {
      throw error
    })
  }
  await program.parseAsync()
})()
