import { buffer } from 'node:stream/consumers'

import { z } from 'zod'

import { Approval, Proof } from '../../contract/approvals.ts'
import { parseJson } from '../../contract/validate.ts'
import { exitCode, Failure } from '../terminal/failure.ts'
import { quote } from '../terminal/print.ts'
import { readWholeFile } from '../terminal/read-file.ts'

/** The largest file that is read, bytes: an export of many months. */
const maxFile = 256 * 1024 * 1024
/** The largest file of keys, bytes. */
const maxKeys = 1024 * 1024

export type Proved = { readonly approval: Approval } | { readonly proof: Proof }

/** Reads approvals or proofs: one as JSON, or one a line. @throws {Failure} where there is none. */
export async function readProofs(file: string): Promise<readonly Proved[]> {
  const text = (file === '-' ? await buffer(process.stdin) : await readWholeFile(file, maxFile)).toString('utf8')
  const whole = readOne(text)
  if (whole) return [whole]
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) throw new Failure(`${nameOf(file)} is empty.`)
  return lines.map((line, index) => {
    const proved = readOne(line)
    if (proved) return proved
    throw new Failure(`${nameOf(file)}, line ${index + 1}: neither an approval nor a proof as JSON.`)
  })
}

function readOne(text: string): Proved | undefined {
  const value = parseJson(text)
  const approval = Approval.safeParse(value)
  if (approval.success) return { approval: approval.data }
  const proof = Proof.safeParse(value)
  return proof.success ? { proof: proof.data } : undefined
}

const KeySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())).min(1) })

/** Reads a JWK Set. @throws {Failure} where the file is none. */
export async function readTrust(file: string): Promise<{ readonly keys: readonly object[] }> {
  const parsed = KeySet.safeParse(parseJson((await readWholeFile(file, maxKeys)).toString('utf8')))
  if (parsed.success) return parsed.data
  throw new Failure(
    `--trust: ${quote(file)} contains no keys. Expected the output of second-factor proof keys.`,
    exitCode.usage,
  )
}

const nameOf = (file: string): string => (file === '-' ? 'Standard input' : quote(file))
