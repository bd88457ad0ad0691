import { createHash } from 'node:crypto'

/** Who did it: an API key, a device, a person at the command line, or the service itself (what lapses, what is swept). */
export interface Actor {
  readonly kind: 'api_key' | 'device' | 'cli' | 'service'
  /** Id of the key or device; what the operating system calls the person. */
  readonly id: string
}

/** What is said of an event. Ids and plain facts, never a secret. */
export type Facts = Readonly<Record<string, string | number | boolean | null>>

/** What happened. */
export interface AuditEvent {
  /** `thing.happened`, such as `session.approved`. */
  readonly event: string
  readonly actor: Actor
  readonly organizationId: string | null
  /** Where it came from, as far as that is known. */
  readonly address: string | null
  readonly facts: Facts
  /** Names the request that caused it, as the log does; absent where nobody asked. Its caller chose it: it proves nothing. */
  readonly requestId?: string
}

/**
 * One line of the audit trail. Each writer has a chain of its own: every entry carries a hash over itself and over the
 * entry before it, so that nothing can be changed or taken out unnoticed.
 */
export interface AuditEntry extends AuditEvent {
  readonly writer: string
  /** From 1, without gaps. */
  readonly sequence: number
  /** Unix time, seconds. */
  readonly at: number
  /** SHA-256, hexadecimal. */
  readonly hash: string
}

/** What the first entry of a chain follows. */
export const chainStart = '0'.repeat(64)

/** @param previous hash of the entry before. */
export function hashEntry(previous: string, entry: Omit<AuditEntry, 'hash'>): string {
  const { writer, sequence, at, event, actor, organizationId, address } = entry
  // An array and sorted facts: one entry, one spelling.
  const spelling = [
    previous,
    writer,
    sequence,
    at,
    event,
    actor.kind,
    actor.id,
    organizationId,
    address,
    sorted(storedFacts(entry)),
  ]
  return createHash('sha256').update(JSON.stringify(spelling)).digest('hex')
}

/** What is stored of an event as JSON, and covered by its hash. */
export function storedFacts({ facts, requestId }: Pick<AuditEvent, 'facts' | 'requestId'>): Facts {
  return requestId === undefined ? facts : { ...facts, requestId }
}

function sorted(facts: Facts): [string, Facts[string]][] {
  return Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, Facts[string]] => [name, value ?? null])
    .sort(([a], [b]) => (a < b ? -1 : 1))
}
