import type { DeviceRequest } from '../../contract/device-answers.ts'
import { shownNameOf } from '../../contract/shown-name.ts'

type User = DeviceRequest['user']

/** The user as people know it. */
export const nameOfUser = (user: User): string => shownNameOf(user)?.name ?? ''

/** The same with the username where it says more, to tell accounts apart. */
export function fullNameOfUser(user: User): string {
  const { name = '', username } = shownNameOf(user) ?? {}
  return username === undefined ? name : `${name} · ${username}`
}
