/** `node scripts/try-start.mjs`: starts the example app of this checkout, and waits for its first page. */
import { join } from 'node:path'

import { tryApp } from './try-app.mjs'

await tryApp('example-app/main.ts', { cwd: join(import.meta.dirname, '..'), port: 3124 })
