import type { DeviceRequest } from '../contract/device.ts'
import type { Speech } from './words/speech.tsx'

export interface Fact {
  readonly label: string
  readonly value: string
  /** A note about the value, such as its source. */
  readonly note?: string
}

/** The facts that a pending request and a history entry have in common. */
type RequestFacts = Pick<DeviceRequest, 'attributes' | 'ipAddress' | 'createdAt'> &
  Partial<Pick<DeviceRequest, 'purpose' | 'user'>>

/** Keys of attributes that hold the place of a sign-in. */
const placeKeys = new Set(['place', 'location', 'city'])
const clientKeys = ['browser', 'system']

/** What helps to decide, in order of importance: origin, browser and system, time, then all other attributes of the app. */
export function factsOf(request: RequestFacts, { words, locale }: Speech): readonly Fact[] {
  const { place, client, rest } = sortAttributes(request)
  const from = fromOf(place, request)
  // The question names the user of a sign-in. For a change of devices it names the app, so the user is listed here.
  const username = request.purpose === 'change_devices' ? request.user?.username : undefined
  return [
    ...(username === undefined ? [] : [{ label: words.user, value: username }]),
    ...(from === '' ? [] : [{ label: words.from, value: from, note: words.unverified }]),
    ...client.map(({ key, value }) => ({
      label: key.toLowerCase() === 'browser' ? words.browser : words.system,
      value,
    })),
    { label: words.time, value: timeOf(request.createdAt, locale, 'medium') },
    ...rest.map(({ key, value }) => ({ label: key, value })),
  ]
}

/** Origin and browser in one line, to tell requests apart. */
export function originOf(request: RequestFacts): string {
  const { place, client, rest } = sortAttributes(request)
  const from = fromOf(place, request)
  return [...(from === '' ? [] : [from]), ...[...client, ...rest].map(({ value }) => value)].slice(0, 2).join(', ')
}

/** A time of day in the person's locale. */
export function timeOf(seconds: number, locale: string, timeStyle: 'short' | 'medium' = 'short'): string {
  return new Intl.DateTimeFormat(locale, { timeStyle }).format(seconds * 1000)
}

function sortAttributes(request: RequestFacts) {
  const attributes = request.attributes.filter(({ key, value }) => key !== '' && value !== '')
  const [place, others] = split(attributes, ({ key }) => placeKeys.has(key.toLowerCase()))
  const [client, rest] = split(others, ({ key }) => clientKeys.includes(key.toLowerCase()))
  return { place, client, rest }
}

function fromOf(place: RequestFacts['attributes'], { ipAddress }: RequestFacts): string {
  return [...place.map(({ value }) => value), ipAddress].filter(Boolean).join(', ')
}

function split<T>(list: readonly T[], belongs: (item: T) => boolean): [T[], T[]] {
  return [list.filter(belongs), list.filter((item) => !belongs(item))]
}
