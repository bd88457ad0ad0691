/** The `second-factor` command. Running this file runs it. */
import { ending } from './device/failure.ts'
import { createProgram } from './program.ts'
import { readSecretFiles } from './service/secret-files.ts'

await ending(async () => {
  readSecretFiles(process.env)
  await createProgram().parseAsync()
})()
