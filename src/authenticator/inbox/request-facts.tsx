import type { DeviceRequest } from '../../contract/device-answers.ts'
import { printable } from '../../ground/printable.ts'
import { IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import * as icons from '../../ui/icons.ts'
import { Facts } from '../parts/card.tsx'
import type { Novelty } from '../accounts/facts.ts'
import { factsOf, subjectOf, summaryOf } from '../accounts/facts.ts'
import { useSpeech, useWords } from '../words/speech.tsx'

interface RequestFactsProps {
  readonly request: DeviceRequest
  readonly novelty: Novelty
  /** The service's time, Unix time, seconds. */
  readonly now: number
  /** Whether all facts are shown in full. */
  readonly opened: boolean
  readonly onToggle: () => void
}

/** Where a request comes from, in two lines. A press shows everything in full, and that it is not verified. */
export function RequestFacts({ request, novelty, now, opened, onToggle }: RequestFactsProps) {
  const speech = useSpeech()
  return (
    <div class="facts-box" onClick={onToggle}>
      {opened ? <Facts facts={factsOf(request, novelty, speech)} /> : <ShortFacts {...{ request, novelty, now }} />}
      <IconButton icon={icons.info} label={speech.words.details} aria-expanded={opened} />
    </div>
  )
}

/** First in its line, whose end may be clipped. */
function Warning({ text }: { readonly text: string }) {
  return (
    <>
      <b>{text}</b>
      <span> · </span>
    </>
  )
}

/** The subject of a request in a list, if not an ordinary sign-in. */
export function Subject({ request }: { readonly request: Parameters<typeof subjectOf>[0] }) {
  const subject = subjectOf(request, useWords())
  return subject === undefined ? null : (
    <small>
      <bdi>{printable(subject)}</bdi>
    </small>
  )
}

function ShortFacts({ request, novelty, now }: Omit<RequestFactsProps, 'opened' | 'onToggle'>) {
  const { words } = useSpeech()
  const { place, address, client, age, rest } = summaryOf(request, useSpeech(), now)
  const browser = (
    <li>
      <Icon path={client === '' ? icons.clock : icons.screen} />
      <p>
        {novelty.browser ? <Warning text={words.newBrowser} /> : null}
        {client === '' ? null : (
          <>
            <em>{client}</em>
            <span> · </span>
          </>
        )}
        <span>{age}</span>
      </p>
    </li>
  )
  const origin = (
    <li>
      <Icon path={icons.place} />
      <p>
        {place === '' ? null : (
          <>
            <strong dir="auto">{printable(place)}</strong>
            <span>{novelty.place ? ' · ' : ' '}</span>
          </>
        )}
        {/* In place of the address, so that nothing moves: the places before are read while the person is looking. */}
        {place !== '' && novelty.place ? <span>{words.newPlace}</span> : <bdi>{address}</bdi>}
      </p>
    </li>
  )
  return (
    <ul class="list" id="facts">
      {place === '' ? null : origin}
      {browser}
      {/* An address alone tells people little. */}
      {place === '' && address !== '' ? origin : null}
      {rest.map((line) => (
        <li key={line}>
          <Icon path={icons.info} />
          <p>
            <em>{line}</em>
          </p>
        </li>
      ))}
    </ul>
  )
}
