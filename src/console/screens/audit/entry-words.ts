import type { AuditItem } from '../../../admin-contract/audit.ts'
import { formerEvents, formerFacts } from '../../../admin-contract/former-events.ts'
import { isolated, printable } from '../../../ground/printable.ts'
import { useWords } from '../../words/speech.tsx'
import { useDateTime } from '../../parts/time.tsx'
import { useOperationName } from '../../parts/operation-name.ts'

/** The names of people, domains and administrators by their ids. */
export type Names = Readonly<Record<string, string>>

export type FactValue = AuditItem['facts'][string]

/** Entries in the words of the language. What has no words is shown as it is recorded. */
export function useEntryWords(names: Names) {
  const words = useWords()
  const operationName = useOperationName()
  const { audit } = words
  const dateTime = useDateTime()

  const nameOf = (id: FactValue | undefined): string | undefined => {
    if (typeof id !== 'string' || id === '') return undefined
    return printable(names[id] ?? shortId(id))
  }

  function circumstance([name, value]: [string, FactValue]): string | undefined {
    if (value === null || value === '') return undefined
    if (name === 'domain') return nameOf(value)
    if (name === 'factor') return textOf(words.factors, value)
    if (name === 'reason') return textOf(audit.why, value)
    if (name === 'decision') return textOf(audit.decisions, value)
    if (name === 'because') return textOf(words.reasons, value)
    if (name === 'role') return textOf(words.roles, value)
    if (name === 'operation') return operationName(String(value))
    if (name === 'fields' || name === 'count' || name === 'filter') return printable(String(value))
    return undefined
  }

  /** A value as people read it; what has no words is shown as it is recorded. */
  function factText(name: string, value: FactValue): string {
    if ((name === 'until' || name === 'before') && typeof value === 'number') return dateTime(value)
    return circumstance([name, value]) ?? printable(String(value))
  }

  return {
    nameOf,
    factName: (name: string): string => textOf(audit.facts, formerFacts.get(name) ?? name),
    factText,
    sentence: ({ event }: AuditItem): string => textOf(audit.events, formerEvents.get(event) ?? event),
    /** The place, the means and the reason, in one line. */
    circumstances: ({ facts }: AuditItem): string =>
      Object.entries(facts)
        .flatMap((fact) => circumstance(fact) ?? [])
        .map(isolated)
        .join(' · '),
    /** Administrators and people at the command line have names; of others the kind says more than an id. */
    actor: ({ actor: { kind, id } }: AuditItem): string => {
      if (names[id] !== undefined) return printable(names[id])
      return kind === 'cli' ? `${printable(id)} (${audit.actors.cli})` : audit.actors[kind]
    },
    /** Whom it is about; empty for what is about no person. */
    about: ({ facts }: AuditItem): string => nameOf(facts['user']) ?? nameOf(facts['administrator']) ?? '',
  }
}

/** A word of the language, or the name as it is recorded. */
const textOf = (texts: Readonly<Record<string, string>>, name: FactValue): string =>
  (Object.hasOwn(texts, String(name)) ? texts[String(name)] : undefined) ?? printable(String(name))

/** Shortens ids as the command line does. */
const shortId = (id: string): string => (/^[0-9a-f]{40}$/.test(id) ? `${id.slice(0, 8)}…` : id)
