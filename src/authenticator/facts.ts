import type { DeviceRequest } from '../contract/device.ts'
import type { Speech } from './words/speech.tsx'

export interface Fact {
  readonly label: string
  readonly value: string
  /** Where it comes from, if that is not plain. */
  readonly note?: string
}

/** What a request and what is remembered of one have in common. */
type Asked = Pick<DeviceRequest, 'attributes' | 'ipAddress' | 'createdAt'> &
  Partial<Pick<DeviceRequest, 'purpose' | 'user'>>

/** Names an app may give the place a sign-in comes from. */
const places = new Set(['place', 'location', 'city'])
const first = ['browser', 'system']

/** What helps to decide, in the order of importance: where from, with what, when, then all the app says. */
export function factsOf(request: Asked, { words, locale }: Speech): readonly Fact[] {
  const { place, usual, rest } = sorted(request)
  const from = fromOf(place, request)
  // The question names the user of a sign-in, and the app where devices are to be changed.
  const username = request.purpose === 'change_devices' ? request.user?.username : undefined
  return [
    ...(username === undefined ? [] : [{ label: words.user, value: username }]),
    ...(from === '' ? [] : [{ label: words.from, value: from, note: words.reportedByApp }]),
    ...usual.map(({ key, value }) => ({
      label: key.toLowerCase() === 'browser' ? words.browser : words.system,
      value,
    })),
    { label: words.time, value: timeOf(request.createdAt, locale, 'medium') },
    ...rest.map(({ key, value }) => ({ label: key, value })),
  ]
}

/** Where from and with what, in a line: tells requests apart. */
export function originOf(request: Asked): string {
  const { place, usual, rest } = sorted(request)
  const from = fromOf(place, request)
  return [...(from === '' ? [] : [from]), ...[...usual, ...rest].map(({ value }) => value)].slice(0, 2).join(', ')
}

/** A time of today as people here write it. */
export function timeOf(seconds: number, locale: string, timeStyle: 'short' | 'medium' = 'short'): string {
  return new Intl.DateTimeFormat(locale, { timeStyle }).format(seconds * 1000)
}

function sorted(request: Asked) {
  const attributes = request.attributes.filter(({ key, value }) => key !== '' && value !== '')
  const [place, others] = split(attributes, ({ key }) => places.has(key.toLowerCase()))
  const [usual, rest] = split(others, ({ key }) => first.includes(key.toLowerCase()))
  return { place, usual, rest }
}

function fromOf(place: Asked['attributes'], { ipAddress }: Asked): string {
  return [...place.map(({ value }) => value), ipAddress].filter(Boolean).join(', ')
}

function split<T>(list: readonly T[], belongs: (item: T) => boolean): [T[], T[]] {
  return [list.filter(belongs), list.filter((item) => !belongs(item))]
}
