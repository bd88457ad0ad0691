import type { DeviceRequest } from '../contract/device.ts'
import { messages } from './messages.ts'

export interface Fact {
  readonly label: string
  readonly value: string
  /** Where it comes from, if that is not plain. */
  readonly note?: string
}

/** Names an app may give the place a sign-in comes from. */
const places = new Set(['place', 'location', 'city'])
const first = ['browser', 'system']

/** What helps to decide, in the order of importance: where from, with what, when, then all the app says. */
export function factsOf(request: DeviceRequest): readonly Fact[] {
  const attributes = request.attributes.filter(({ key, value }) => key !== '' && value !== '')
  const [place, others] = split(attributes, ({ key }) => places.has(key.toLowerCase()))
  const [usual, rest] = split(others, ({ key }) => first.includes(key.toLowerCase()))
  const from = [...place.map(({ value }) => value), request.ipAddress].filter(Boolean).join(', ')

  return [
    ...(from === '' ? [] : [{ label: messages.from, value: from, note: messages.reportedByApp }]),
    ...usual.map(({ key, value }) => ({ label: key, value })),
    { label: messages.time, value: timeOf(request.createdAt) },
    ...rest.map(({ key, value }) => ({ label: key, value })),
  ]
}

/** Where from and with what, in a line: tells requests apart. */
export function originOf(request: DeviceRequest): string {
  const facts = factsOf(request).filter(({ label }) => label !== messages.time)
  return facts
    .slice(0, 2)
    .map(({ value }) => value)
    .join(', ')
}

/** A time of today as people here write it. */
export function timeOf(seconds: number): string {
  return new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }).format(seconds * 1000)
}

function split<T>(list: readonly T[], belongs: (item: T) => boolean): [T[], T[]] {
  return [list.filter(belongs), list.filter((item) => !belongs(item))]
}
