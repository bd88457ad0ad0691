import { z } from 'zod'

// The page's content security policy forbids `eval`, which zod tries when the first schema is created. So this module has to be
// imported before any schema.
z.config({ jitless: true })
