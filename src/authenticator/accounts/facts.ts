import type { DeviceRequest, HistoryEntry } from '../../contract/device-answers.ts'
import { attributeLimits } from '../../contract/session-facts.ts'
import type { Attribute } from '../../contract/session-facts.ts'
import { isolated, printable } from '../../ground/printable.ts'
import { nameOfUser } from './user-name.ts'
import type { Words } from '../texts/en.ts'
import type { Speech } from '../words/speech.tsx'

export interface Fact {
  readonly label: string
  readonly value: string
  /** A note about the value, such as its source. */
  readonly note?: string
}

/** The facts that a pending request and a history entry have in common. */
type RequestFacts = Pick<DeviceRequest, 'attributes' | 'ipAddress' | 'createdAt'> &
  Partial<Pick<DeviceRequest, 'purpose' | 'user'>>

/** Whether an attribute says what a step-up confirms. A long one is a fact like others: it would fill the question. */
const isPurpose = ({ key, value }: Attribute) =>
  key.toLowerCase() === 'purpose' && value !== '' && value.length <= attributeLimits.purpose
/** Keys of attributes that hold the place of a sign-in. */
const placeKeys = new Set(['place', 'location', 'city'])
const clientKeys = ['browser', 'system']

/** The action that an approval confirms, in the app's words; undefined for an ordinary sign-in. */
export function confirmedBy({ purpose, attributes }: Pick<RequestFacts, 'purpose' | 'attributes'>): string | undefined {
  if (purpose === 'change_devices') return undefined
  return attributes.find(isPurpose)?.value.replace(/^./u, (first) => first.toLocaleUpperCase())
}

/** The subject of a request other than an ordinary sign-in, in a few words. */
export function subjectOf(request: RequestFacts, words: Words): string | undefined {
  return request.purpose === 'change_devices' ? words.changeOfDevices : confirmedBy(request)
}

/** Facts for the decision, in order of importance: origin, browser and system, time, then all other attributes of the app. */
export function factsOf(request: RequestFacts, novelty: Novelty, { words, locale }: Speech): readonly Fact[] {
  const { place, client, rest } = sortAttributes(request)
  const from = fromOf(place, request)
  // The question names the user of a sign-in. For a change of devices it names the app, so the user is listed here.
  const name = request.purpose === 'change_devices' && request.user ? nameOfUser(request.user) : undefined
  const note = novelty.place ? `${words.newPlace} · ${words.unverified}` : words.unverified
  const origin = from === '' ? [] : [{ label: words.from, value: from, note }]
  const browser = [
    ...(novelty.browser && client.length === 0 ? [{ label: words.browser, value: words.newBrowser }] : []),
    ...client.map(({ key, value }) => ({
      label: key.toLowerCase() === 'browser' ? words.browser : words.system,
      value,
      ...(novelty.browser && key.toLowerCase() === 'browser' ? { note: words.newBrowser } : {}),
    })),
  ]
  return [
    ...(name === undefined ? [] : [{ label: words.user, value: name }]),
    // An address alone tells people little.
    ...(place.length > 0 ? [...origin, ...browser] : [...browser, ...origin]),
    { label: words.time, value: timeOf(request.createdAt, locale, 'medium') },
    ...rest.map(({ key, value }) => ({ label: key, value })),
  ]
}

/** The facts that are new to this person. */
export interface Novelty {
  readonly browser: boolean
  readonly place: boolean
}

/** Nothing is new to an account that has approved nothing yet. An address is never new, because many change daily. */
export function isNewPlace(request: RequestFacts, answered: readonly HistoryEntry[]): boolean {
  const placeOf = (each: RequestFacts) => textOf(sortAttributes(each).place)
  const before = answered.flatMap((each) => (each.state === 'approved' && placeOf(each) ? [placeOf(each)] : []))
  return placeOf(request) !== '' && before.length > 0 && !before.includes(placeOf(request))
}

/** Facts for the decision, short enough for a few lines. */
export interface Summary {
  readonly place: string
  readonly address: string
  /** Browser and system. */
  readonly client: string
  /** The age of the request in words: just now, or its time. */
  readonly age: string
  /** Other attributes of the app, one or two lines. */
  readonly rest: readonly string[]
}

/** However many attributes an app sends, the answers stay on the screen. */
const maxRest = 2

/** @param now The service's time, Unix time, seconds. */
export function summaryOf(request: DeviceRequest, { words, locale }: Speech, now: number): Summary {
  const { place, client, rest } = sortAttributes(request)
  const [browser, system] = clientKeys.map((name) => client.find(({ key }) => key.toLowerCase() === name)?.value)
  return {
    place: textOf(place),
    address: request.ipAddress ?? '',
    client: browser && system ? words.browserOn(isolated(browser), isolated(system)) : printable(textOf(client)),
    age: now - request.createdAt < 60 ? words.justNow : timeOf(request.createdAt, locale),
    rest: shorten(rest.map(({ key, value }) => `${isolated(key)}: ${isolated(value)}`)),
  }
}

function shorten(lines: readonly string[]): readonly string[] {
  if (lines.length <= maxRest) return lines
  const shownLines = lines.slice(0, maxRest - 1)
  return [...shownLines, `+${lines.length - shownLines.length}`]
}

/** Origin and browser in one line, to tell requests apart. */
export function originOf(request: RequestFacts): string {
  const { place, client, rest } = sortAttributes(request)
  const values = [...client, ...rest].map(({ value }) => value)
  const { ipAddress = '' } = request
  return [textOf(place), ...values, ipAddress].filter(Boolean).slice(0, 3).join(', ')
}

/** A time of day in the person's locale. */
export function timeOf(seconds: number, locale: string, timeStyle: 'short' | 'medium' = 'short'): string {
  return new Intl.DateTimeFormat(locale, { timeStyle }).format(seconds * 1000)
}

function sortAttributes(request: RequestFacts) {
  const attributes = request.attributes.filter((each) => each.key !== '' && each.value !== '' && !isPurpose(each))
  const [place, otherAttributes] = split(attributes, ({ key }) => placeKeys.has(key.toLowerCase()))
  const [client, rest] = split(otherAttributes, ({ key }) => clientKeys.includes(key.toLowerCase()))
  return { place, client, rest }
}

function fromOf(place: RequestFacts['attributes'], { ipAddress }: RequestFacts): string {
  return [textOf(place), ipAddress].filter(Boolean).join(', ')
}

function textOf(attributes: RequestFacts['attributes']): string {
  return attributes.map(({ value }) => value).join(', ')
}

function split<T>(list: readonly T[], belongs: (item: T) => boolean): [T[], T[]] {
  return [list.filter(belongs), list.filter((item) => !belongs(item))]
}
