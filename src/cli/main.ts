/** The `second-factor` command. Running this file runs it. */
import { createProgram } from './program.ts'

await createProgram().parseAsync()
