import { z } from 'zod'

/** The values and error messages that a rejected form shows. Never includes passwords. */
export interface FormState {
  readonly values: Readonly<Record<string, string>>
  readonly problems: Readonly<Record<string, string>>
}

export const emptyForm: FormState = { values: {}, problems: {} }

/** NIST SP 800-63B-4 section 3.1.1.2: 8 characters where there is a second factor; no rules of composition. */
const NewPassword = z
  .string('Choose a password.')
  .min(8, 'Use at least 8 characters.')
  .max(256, 'Use at most 256 characters.')

export const SignUp = z.object({
  username: z
    .string('Choose a username.')
    .regex(/^[A-Za-z0-9._-]{1,64}$/, 'Use letters, digits, dots, hyphens and underscores, at most 64.'),
  name: z
    .string('Enter your name.')
    .trim()
    .min(1, 'Enter your name.')
    .max(128, 'Use at most 128 characters.')
    .regex(/^\P{Cc}*$/u, 'Use letters and spaces.'),
  email: z.email('Enter an e-mail address such as alice@example.com.').max(254, 'Use at most 254 characters.'),
  password: NewPassword,
})

export const ChangePassword = z.object({ password: NewPassword })

export const Transfer = z.object({
  to: z
    .string('Enter whom to send it to.')
    .trim()
    .min(1, 'Enter whom to send it to.')
    .max(64, 'Use at most 64 characters.')
    .regex(/^\P{C}*$/u, 'Use letters, digits and spaces.'),
  amount: z
    .string('Enter an amount.')
    .trim()
    .regex(/^\d{1,6}(\.\d{2})?$/, 'Enter an amount such as 250 or 12.50.')
    .transform(Number),
})

/** Validates a form. @returns its values, or the state to show again. */
export function readForm<Schema extends z.ZodObject>(
  schema: Schema,
  body: unknown,
): { values: z.output<Schema> } | { values: undefined; state: FormState } {
  const parsed = schema.safeParse(body ?? {})
  if (parsed.success) return { values: parsed.data }
  const problems = Object.fromEntries(parsed.error.issues.map((issue) => [String(issue.path[0]), issue.message]))
  return { values: undefined, state: { values: typedValues(body), problems } }
}

/** The typed values, to show them again. */
export function typedValues(body: unknown): Record<string, string> {
  const entries = Object.entries(z.record(z.string(), z.unknown()).catch({}).parse(body))
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0] !== 'password'),
  )
}
