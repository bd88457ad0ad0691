import { InvalidArgumentError } from 'commander'
import type { z } from 'zod'

import { CodeCounter, CodeDigits, CodePeriod } from '../../contract/hardware.ts'

/** Parses the value of `--digits`. */
export const readDigits = (text: string): CodeDigits => readNumber(CodeDigits, text, 'Expected 6, 7 or 8.')

/** Parses the value of `--period`. */
export const readPeriod = (text: string): number => readNumber(CodePeriod, text, 'Expected seconds, from 15 to 120.')

/** Parses the value of `--counter`. */
export const readCounter = (text: string): number =>
  readNumber(CodeCounter, text, 'Expected the number of codes that the token has shown, 0 for a new one.')

function readNumber<T>(schema: z.ZodType<T>, text: string, expected: string): T {
  const read = schema.safeParse(/^\d{1,10}$/.test(text) ? Number(text) : undefined)
  if (read.success) return read.data
  throw new InvalidArgumentError(expected)
}
