import type { AuditItem } from '../../../admin-contract/audit.ts'
import { printable } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../parts/confirm.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { auditPlace, type AuditQuery, personPlace } from '../../session/places.ts'
import { Link } from '../../session/router.tsx'
import { useSpeech } from '../../words/speech.tsx'
import { type FactValue, type Names, useEntryWords } from './entry-words.ts'

interface EntryDialogProps {
  readonly item: AuditItem
  readonly names: Names
  readonly query: AuditQuery
  readonly onClose: () => void
}

/** An entry with everything that is recorded of it, and where it leads. */
export function EntryDialog({ item, names, query, onClose }: EntryDialogProps) {
  const {
    words: { audit, openPerson },
    locale,
  } = useSpeech()
  const { sentence, actor, nameOf, factName, factText } = useEntryWords(names)
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' }).format(item.at * 1000)
  const { user } = item.facts

  function factOf([name, value]: [string, FactValue]): Fact[] {
    if (value === null || value === '') return []
    const recorded = printable(String(value))
    const entityName = isId(name) ? nameOf(value) : undefined
    const note = entityName === undefined || entityName === recorded ? {} : { note: recorded }
    return [{ label: factName(name), value: <bdi>{entityName ?? factText(name, value)}</bdi>, ...note }]
  }

  const facts: readonly Fact[] = [
    { label: audit.when, value: exact },
    { label: audit.by, value: <bdi>{actor(item)}</bdi>, note: item.actor.id },
    ...(item.address === null ? [] : [{ label: audit.address, value: <bdi dir="ltr">{item.address}</bdi> }]),
    { label: audit.event, value: <bdi dir="ltr">{printable(item.event)}</bdi> },
    ...Object.entries(item.facts).flatMap(factOf),
    ...(item.requestId === undefined ? [] : [{ label: audit.request, value: <bdi>{printable(item.requestId)}</bdi> }]),
    { label: audit.entry, value: item.position },
  ]
  const from = { ...query, before: undefined, live: undefined }
  return (
    <Dialog title={sentence(item)} onClose={onClose}>
      {(close) => (
        // Otherwise the dialog would open at its first link, below what there is to read.
        <div class="entry record" tabIndex={-1} autofocus>
          <Facts facts={facts} />
          {/* A link closes the dialog, which would otherwise cover the page that it leads to. */}
          <div class="stacked" onClick={(event) => (event.target as Element).closest('a') && close()}>
            {typeof user === 'string' ? (
              <>
                {names[user] === undefined ? null : (
                  <Link to={personPlace(user)} class="button outlined">
                    {openPerson}
                  </Link>
                )}
                <Link to={auditPlace({ ...from, event: undefined, user })} class="button outlined">
                  {audit.samePerson}
                </Link>
              </>
            ) : null}
            <Link to={auditPlace({ ...from, event: undefined, actor: item.actor.id })} class="button outlined">
              {audit.sameActor}
            </Link>
            <Button class="filled" onClick={close} label={audit.close} />
          </div>
        </div>
      )}
    </Dialog>
  )
}

/** Whether a fact is the id of something that has a name. */
const isId = (name: string): boolean => ['user', 'domain', 'administrator'].includes(name)
