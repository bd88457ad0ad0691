import type { TimelineEntry } from '../../../admin-contract/timeline.ts'
import { fob, history, type IconPath, key, lock, mail, person, phone, screen, shield } from '../../../ui/icons.ts'
import { useDateTime } from '../../parts/time.tsx'
import { type Names, useEntryWords } from '../audit/entry-words.ts'
import { FactorRow } from './factor-row.tsx'

interface ChangeRowProps {
  readonly entry: TimelineEntry
  readonly names: Names
}

/** A change in the words of the audit trail: what, when, why, and who did it. */
export function ChangeRow({ entry, names }: ChangeRowProps) {
  const dateTime = useDateTime()
  const { sentence, circumstances, actor } = useEntryWords(names)
  const item = { ...entry, address: null }
  const about = circumstances(item)
  return (
    <FactorRow icon={iconOf(entry.event)} title={sentence(item)}>
      {dateTime(entry.at)} · <bdi>{actor(item)}</bdi>
      {about === '' ? null : (
        <>
          <br />
          {about}
        </>
      )}
    </FactorRow>
  )
}

/** Icons by what an event is about, which is the first part of its name. */
const icons: Readonly<Record<string, IconPath>> = {
  activation: phone,
  browser: screen,
  browsers: screen,
  bypass: key,
  caller: shield,
  codes: lock,
  device: phone,
  enrollment: mail,
  hardware: fob,
  membership: person,
  passkey: key,
  pin: lock,
  push: lock,
  session: shield,
  token: phone,
  user: person,
}

const iconOf = (event: string): IconPath => icons[event.split('.', 1)[0] ?? ''] ?? history
