import { config } from 'zod'

// The page's content security policy forbids `eval`, which zod tries when the first schema is created. So this module has to be
// imported before any schema. By its own name: the build drops calls on `z` whose result is not used.
config({ jitless: true })
