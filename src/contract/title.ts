import { z } from 'zod'

import { text } from './text.ts'

/** The name of an organization, a domain or a client. Blanks at its ends do not count. */
export const Title = text(1, 128, z.string().trim())
