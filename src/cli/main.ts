/** The `second-factor` command. Running this file runs it. */
import { ending } from './device/failure.ts'
import { createProgram } from './program.ts'
import { readSecretFiles } from './service/secret-files.ts'

await ending(async () => {
  readSecretFiles(process.env)
  const program = await createProgram(process.argv.slice(2))
  await program.parseAsync()
})()
