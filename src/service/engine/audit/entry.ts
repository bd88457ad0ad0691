import { hash } from 'node:crypto'

import type { Because } from '../../../admin-contract/because.ts'

/** The actor: an API key, a device, an administrator in the console or at the command line, or the service itself. */
export interface Actor {
  readonly kind: 'api_key' | 'device' | 'administrator' | 'cli' | 'service'
  /** The id of the key, device or administrator, or the person's name in the operating system. */
  readonly id: string
}

/** Details of an event: ids and plain facts, never secrets. */
export type Facts = Readonly<Record<string, string | number | boolean | null>>

/** An event to record. */
export interface AuditEvent {
  /** `thing.happened`, such as `session.approved`. */
  readonly event: string
  readonly actor: Actor
  readonly organizationId: string | null
  /** The address it came from, if known. */
  readonly address: string | null
  readonly facts: Facts
  /** Id of the request that caused it, as in the log; absent outside of requests. Callers choose it, so it proves nothing. */
  readonly requestId?: string
  /** Why an administrator of the console acted, from a closed list. */
  readonly because?: Because
  /** The job that it is a part of, if the administrator acted on many people at once. */
  readonly job?: string
}

/**
 * An entry of the audit trail. Each writer has its own chain: every entry contains a hash over itself and the previous entry,
 * so that no entry can be changed or removed unnoticed.
 */
export interface AuditEntry extends AuditEvent {
  readonly writer: string
  /** Starts at 1, without gaps. */
  readonly sequence: number
  /** Unix time, seconds. */
  readonly at: number
  /** SHA-256, hexadecimal. */
  readonly hash: string
}

/** The predecessor of the first entry of a chain. */
export const chainStart = '0'.repeat(64)

/** @param previous Hash of the previous entry. */
export function hashEntry(previous: string, entry: Omit<AuditEntry, 'hash'>): string {
  const { writer, sequence, at, event, actor, organizationId, address } = entry
  // An array and sorted facts give an entry exactly one serialization.
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
  return hash('sha256', JSON.stringify(spelling), 'hex')
}

/** The facts that are stored as JSON and covered by the hash. */
export function storedFacts(event: Pick<AuditEvent, 'facts' | 'requestId' | 'because' | 'job'>): Facts {
  const { facts, because, job, requestId } = event
  return {
    ...facts,
    ...(because !== undefined && { because }),
    ...(job !== undefined && { job }),
    ...(requestId !== undefined && { requestId }),
  }
}

function sorted(facts: Facts): [string, Facts[string]][] {
  return Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, Facts[string]] => [name, value ?? null])
    .sort(([a], [b]) => (a < b ? -1 : 1))
}
