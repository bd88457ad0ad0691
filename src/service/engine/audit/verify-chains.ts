import type { AuditEntry } from './entry.ts'
import { chainStart, hashEntry } from './entry.ts'

/** The head of a chain at some point. Kept elsewhere, it reveals that the end of the chain was cut off. */
export interface Head {
  readonly writer: string
  readonly sequence: number
  readonly hash: string
}

/** A deviation from what was recorded. */
export interface Finding {
  readonly kind: 'changed' | 'missing' | 'cut_off'
  readonly writer: string
  readonly sequence: number
}

export interface Verification {
  readonly entries: number
  readonly findings: readonly Finding[]
  /** The current heads, to be kept elsewhere. */
  readonly heads: readonly Head[]
}

export interface VerifyOptions {
  /** The starts of chains that were shortened on purpose, after the retention time. */
  readonly starts?: readonly Head[]
  /** Earlier heads, from a file or the log of the service. */
  readonly savedHeads?: readonly Head[]
  /** The present start of a chain, which may have been shortened since its entries began to be read. */
  readonly startNow?: (writer: string) => Promise<Head | undefined>
}

/**
 * Verifies every chain.
 * @param entries Sorted by writer, then by sequence.
 */
export async function verifyChains(
  entries: AsyncIterable<AuditEntry>,
  { starts = [], savedHeads = [], startNow = () => Promise.resolve(undefined) }: VerifyOptions = {},
): Promise<Verification> {
  const heads = new Map<string, Head>(starts.map((start) => [start.writer, start]))
  const expectedHeads = new Map(savedHeads.map((head) => [`${head.writer} ${head.sequence}`, head]))
  const findings: Finding[] = []
  let count = 0

  for await (const entry of entries) {
    count++
    const { writer, sequence, hash } = entry
    let previous = heads.get(writer) ?? { writer, sequence: 0, hash: chainStart }
    if (sequence > previous.sequence + 1) {
      const start = await startNow(writer)
      if (start?.sequence === sequence - 1) previous = start
    }
    if (sequence !== previous.sequence + 1) findings.push({ kind: 'missing', writer, sequence: previous.sequence + 1 })
    else if (hashEntry(previous.hash, entry) !== hash) findings.push({ kind: 'changed', writer, sequence })
    if (differs(expectedHeads, entry)) findings.push({ kind: 'changed', writer, sequence })
    // Continues from the stored hash, so that one change is reported once.
    heads.set(writer, { writer, sequence, hash })
  }
  const ends = new Map<string, number>()
  for (const { writer, sequence } of savedHeads) ends.set(writer, Math.max(sequence, ends.get(writer) ?? 0))
  for (const [writer, sequence] of ends) {
    const reached = heads.get(writer)?.sequence ?? 0
    if (reached >= sequence) continue
    const start = await startNow(writer)
    if (start === undefined || start.sequence < sequence)
      findings.push({ kind: 'cut_off', writer, sequence: reached + 1 })
  }
  return { entries: count, findings, heads: [...heads.values()] }
}

/** Whether a consistent chain differs from the recorded one, because an attacker has rewritten it. */
function differs(expectedHeads: ReadonlyMap<string, Head>, { writer, sequence, hash }: AuditEntry): boolean {
  const head = expectedHeads.get(`${writer} ${sequence}`)
  return head !== undefined && head.hash !== hash
}
