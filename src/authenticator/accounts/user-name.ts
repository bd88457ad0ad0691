import type { DeviceRequest } from '../../contract/device-answers.ts'
import { shownNameOf } from '../../contract/shown-name.ts'
import { printable } from '../../ground/printable.ts'

type User = DeviceRequest['user']

/** The user as people know it. */
export const nameOfUser = (user: User): string => printable(shownNameOf(user)?.name ?? '')

/** The same with the username where it says more, to tell accounts apart. */
export function fullNameOfUser(user: User): string {
  const username = shownNameOf(user)?.username
  return username === undefined ? nameOfUser(user) : `${nameOfUser(user)} · ${printable(username)}`
}
