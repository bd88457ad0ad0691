import { z } from 'zod'

// The page's policy forbids to make code from text, which zod otherwise tries as soon as a schema is made:
// so this is imported before any of them.
z.config({ jitless: true })
