import type { Reader } from '../base/reader.ts'

/** Limits how many connections one caller can hold open. Each process counts separately. */
export interface Places {
  /** Takes a place. @returns a function that leaves it; undefined if all are taken. */
  take(name: string): (() => void) | undefined
}

/** @param max Places for each name. */
function createPlaces(max: number): Places {
  const counts = new Map<string, number>()

  return {
    take(name) {
      const count = counts.get(name) ?? 0
      if (count >= max) return undefined
      counts.set(name, count + 1)
      return () => {
        const remaining = (counts.get(name) ?? 1) - 1
        if (remaining > 0) counts.set(name, remaining)
        else counts.delete(name)
      }
    },
  }
}

/** Leaves a place when the response has ended, or at once if its reader has already disconnected. */
export function leaveAfter(reader: Reader, leave: () => void): void {
  if (reader.closed) leave()
  else reader.once('close', leave)
}

/** Takes a place in each of several, or none at all. */
export function takeAll(requests: readonly (readonly [Places, string])[]): (() => void) | undefined {
  const leave: (() => void)[] = []
  const leaveAll = () => leave.splice(0).forEach((each) => each())
  for (const [places, name] of requests) {
    const release = places.take(name)
    if (release === undefined) {
      leaveAll()
      return undefined
    }
    leave.push(release)
  }
  return leaveAll
}

/** Places by what is held open, and by whom. */
export interface HeldPlaces {
  readonly readsOfKey: Places
  readonly readsOfUser: Places
  readonly readsOfDevice: Places
  readonly streamsOfKey: Places
  /** Calls that wait for another server, such as that of the mails. Each has a connection to it. */
  readonly outsideOfKey: Places
  /** Imports of files: each takes memory while it is read. */
  readonly importsOfAdministrator: Places
}

/** A mail server that answers a hundred mails in a second seldom has so many of them waiting. */
const maxOutside = 128

export interface HeldLimits {
  readonly heldReadsPerKey: number
  readonly heldReadsPerUser: number
  readonly heldReadsPerDevice: number
  readonly streamsPerKey: number
}

export function createHeldPlaces(limits: HeldLimits): HeldPlaces {
  return {
    readsOfKey: createPlaces(limits.heldReadsPerKey),
    readsOfUser: createPlaces(limits.heldReadsPerUser),
    readsOfDevice: createPlaces(limits.heldReadsPerDevice),
    streamsOfKey: createPlaces(limits.streamsPerKey),
    outsideOfKey: createPlaces(maxOutside),
    importsOfAdministrator: createPlaces(1),
  }
}
