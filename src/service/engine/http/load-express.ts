import { createRequire } from 'node:module'

import type express from 'express'

const require = createRequire(import.meta.url)

/** Loads Express when it is first needed: `serve` listens without it, earlier and with 5 MB less. */
export const loadExpress = (): typeof express => require('express') as typeof express
