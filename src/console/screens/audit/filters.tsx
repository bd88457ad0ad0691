import { useState } from 'preact/hooks'

import { cross } from '../../../ui/icons.ts'
import { Icon } from '../../../ui/icon.tsx'
import { isolated, printable } from '../../../ground/printable.ts'
import { auditPlace, type AuditFilter, type AuditQuery } from '../../session/places.ts'
import { Link, useRouter } from '../../session/router.tsx'
import { DomainChoice } from '../../parts/domain-choice.tsx'
import { ListBar } from '../../parts/list-bar.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { useWords } from '../../words/speech.tsx'
import type { EventGroup } from './event-groups.ts'
import { ActorFilter } from './actor-filter.tsx'
import { Choice } from './choice.tsx'
import { PersonFilter } from './person-filter.tsx'
import { type Names, useEntryWords } from './entry-words.ts'
import { isFiltered } from './query.ts'

interface FiltersProps {
  readonly query: AuditQuery
  readonly names: Names
}

interface AllFiltersProps extends FiltersProps {
  readonly groups: readonly EventGroup[]
  /** Whether the entries are there. */
  readonly found: boolean
}

/** The filters of the trail. Another choice starts with the newest entries. */
export function Filters({ query, names, groups, found }: AllFiltersProps) {
  const { audit, ...words } = useWords()
  const { go } = useRouter()
  const [open, setOpen] = useState(Boolean(query.reason ?? query.factor ?? query.since ?? query.until))
  const change = (changes: Partial<AuditFilter>) => go(auditPlace({ ...query, ...changes, before: undefined }), true)
  return (
    <div class="audit-filters">
      <ListBar range={null}>
        <SearchField
          label={audit.search}
          hint={audit.search}
          value={query.q ?? ''}
          found={found}
          onSearch={(q) => change({ q, event: undefined })}
        />
        <EventChoice groups={groups} event={query.event} onChange={(event) => change({ event, q: undefined })} />
        <DomainChoice domain={query.domain} onChoose={(domain) => change({ domain })} />
      </ListBar>
      <details class="more" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{audit.moreFilters}</summary>
        <div class="filter-fields">
          <PersonFilter key={query.user} query={query} />
          <ActorFilter actor={query.actor} onChange={(actor) => change({ actor })} />
          <Choice
            label={audit.factor}
            none={audit.any}
            options={withOwn(words.factors, query.factor)}
            value={query.factor}
            onChange={(factor) => change({ factor })}
          />
          <Choice
            label={audit.facts.reason}
            none={audit.any}
            options={withOwn(audit.why, query.reason)}
            value={query.reason}
            onChange={(reason) => change({ reason })}
          />
          <Day label={audit.since} time={query.since} onChange={(since) => change({ since })} />
          <Day label={audit.until} time={query.until} last onChange={(until) => change({ until })} />
        </div>
      </details>
      <Chips query={query} names={names} />
    </div>
  )
}

interface EventChoiceProps {
  readonly groups: readonly EventGroup[]
  readonly event: string | undefined
  readonly onChange: (event: string | undefined) => void
}

/** The events in groups. One that the address names is there, even if this version has no words for it. */
function EventChoice({ groups, event, onChange }: EventChoiceProps) {
  const { audit } = useWords()
  return (
    <select
      aria-label={audit.event}
      value={event ?? ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    >
      <option value="">{audit.allEvents}</option>
      {event === undefined || Object.hasOwn(audit.events, event) ? null : (
        <option value={event}>{printable(event)}</option>
      )}
      {groups.map(({ title, events }) => (
        <optgroup key={title} label={title}>
          {events.map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  )
}

/** The texts, and what the address says where it has none. */
function withOwn(texts: Readonly<Record<string, string>>, value: string | undefined): [string, string][] {
  const names = Object.entries(texts)
  return value === undefined || Object.hasOwn(texts, value) ? names : [...names, [value, printable(value)]]
}

interface DayProps {
  readonly label: string
  /** Unix time, seconds. */
  readonly time: string | undefined
  /** Whether the day itself is included: the time is then the beginning of the next one. */
  readonly last?: boolean
  readonly onChange: (time: string | undefined) => void
}

/** A day in the time zone of the person. */
function Day({ label, time, last = false, onChange }: DayProps) {
  /** A day whose year is being typed: browsers report the years 2, 20 and 202 on the way to 2026. */
  const [unfinished, setUnfinished] = useState<string>()

  function enter(day: string) {
    const isUnfinished = day.startsWith('0')
    setUnfinished(isUnfinished ? day : undefined)
    if (!isUnfinished) onChange(timeOf(day, last ? 1 : 0))
  }
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="date"
        value={unfinished ?? (time === undefined ? '' : dayOf(Number(time) - (last ? 1 : 0)))}
        onChange={({ currentTarget }) => enter(currentTarget.value)}
        onBlur={() => setUnfinished(undefined)}
      />
    </label>
  )
}

/** Formats a day such as 2026-11-23. */
function dayOf(time: number): string {
  const date = new Date(time * 1000)
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
  return parts.map((part) => String(part).padStart(2, '0')).join('-')
}

/** The beginning of a day, or of one so many days later. */
function timeOf(day: string, later: number): string | undefined {
  const [year, month, date] = day.split('-').map(Number)
  if (year === undefined || month === undefined || date === undefined) return undefined
  return String(new Date(year, month - 1, date + later).getTime() / 1000)
}

/** The filter of a link, which can be removed. */
function Chips({ query, names }: FiltersProps) {
  const { audit } = useWords()
  const { nameOf } = useEntryWords(names)
  const chips = [
    { name: 'user', text: query.user && audit.aboutPerson(isolated(nameOf(query.user) ?? '')) },
    { name: 'actor', text: query.actor && audit.byActor(isolated(nameOf(query.actor) ?? '')) },
  ]
  if (!isFiltered(query)) return null
  return (
    <ul class="list chips">
      {chips.map(({ name, text }) =>
        text ? (
          <li key={name}>
            <Link
              to={auditPlace({ ...query, [name]: undefined, before: undefined })}
              class="chip"
              aria-label={audit.remove(text)}
            >
              {text}
              <Icon path={cross} />
            </Link>
          </li>
        ) : null,
      )}
      <li>
        <Link to={auditPlace({ live: query.live })} class="link">
          {audit.clear}
        </Link>
      </li>
    </ul>
  )
}
