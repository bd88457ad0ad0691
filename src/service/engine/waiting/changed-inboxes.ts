import type { Clock } from '../../../ground/clock.ts'
import { notAfter } from '../base/present.ts'
import {
  approvalMarks,
  callMarks,
  devicesNotifiedAfter,
  newestNotice,
  devicesRevokedSince,
  inboxMarks,
} from './statements.ts'
import type { Queryable } from '../database/schema/schema.ts'

/**
 * Finds the devices whose inbox has changed since the last call; undefined if there was none, and it may be any. Used when
 * another process changed something without saying what: thousands of inboxes may be held here, and reading all of them takes
 * a second or more.
 */
export type ChangedInboxes = () => Promise<readonly string[] | undefined>

/** Times are whole seconds, and a change is visible a moment after it was made; seconds. */
const slack = 5

interface Snapshot {
  readonly at: number
  readonly marks: ReadonlyMap<string, string>
  /** Number of the newest notice. */
  readonly notice: number
}

export function createChangedInboxes(db: Queryable, clock: Pick<Clock, 'now'>): ChangedInboxes {
  let last: Snapshot | undefined
  return async () => {
    const now = clock.now()
    const marks = await marksAt(db, now)
    const previous = last
    last = { at: now, marks, notice: (await newestNotice(db)) ?? 0 }
    if (!previous) return undefined
    const devices = [...new Set([...previous.marks.keys(), ...marks.keys()])]
    const different = devices.filter((id) => previous.marks.get(id) !== marks.get(id))
    const notified = await devicesNotifiedAfter(db, previous.notice)
    return [
      ...new Set([...different, ...notified, ...(await devicesRevokedSince(db, notAfter(previous.at, now) - slack))]),
    ]
  }
}

/** The part of each inbox that changes whenever a request, a phone call or an approval comes or goes. */
async function marksAt(db: Queryable, now: number): Promise<ReadonlyMap<string, string>> {
  const marks = new Map<string, string>()
  for (const { deviceId, pending, newest } of await inboxMarks(db, now)) marks.set(deviceId, `${pending} ${newest}`)
  for (const { deviceId, pending, newest } of await callMarks(db, now)) {
    marks.set(deviceId, `${marks.get(deviceId) ?? ''} calls ${pending} ${newest}`)
  }
  for (const { deviceId, sequence, waiting } of await approvalMarks(db, now)) {
    if (deviceId !== null && waiting === 1) marks.set(deviceId, `${marks.get(deviceId) ?? ''} approval ${sequence}`)
  }
  return marks
}
