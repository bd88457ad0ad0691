import { devicePaths } from '../../../../src/contract/device.ts'
import type { PhoneCall } from '../../../../src/contract/phone-calls.ts'
import { random128 } from '../../../support/device-signer.ts'
import { activateDevice, newUser, read } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import type { ConsoleBrowser } from '../administrators/console-holder.ts'

/** A person with a device whom the help desk may have on the phone. */
export type Person = Awaited<ReturnType<typeof personWithDevice>>

/**
 * @param activation What is in the device's activation beside the usual, such as a PIN.
 * @param knownId The id of a user who gets another device; a new user by default.
 */
export async function personWithDevice(
  running: Running,
  domainId = running.domain.id,
  activation: object = {},
  knownId?: string,
) {
  const userId = knownId ?? (await running.call('POST', '/users', { body: newUser(`person ${random128()}`) })).json.id
  const membership = `/domains/${domainId}/users/${userId}`
  await running.call('PUT', membership)
  const { json: token } = await running.call('PUT', `${membership}/token`)
  const enrolled = await activateDevice(running.origin, running.clock, token.code, activation)
  const { device } = enrolled
  const calls = async (): Promise<PhoneCall[]> => (await read(await device.inbox())).json.calls ?? []
  const answerCall = async (id: string, content: object) => read(await device.call(devicePaths.answerCall(id), content))
  return { ...enrolled, id: userId as string, domainId, calls, answerCall }
}

const pathOf = ({ domainId, id }: Pick<Person, 'domainId' | 'id'>) =>
  `/domains/${domainId}/users/${id}/caller-verifications`

/** The help desk asks. */
export const askCaller = (by: Pick<ConsoleBrowser, 'call'>, person: Pick<Person, 'domainId' | 'id'>) =>
  by.call('POST', pathOf(person))

/** @param wait Seconds to hold the read; none for a plain one. */
export const outcomeOf = (
  by: Pick<ConsoleBrowser, 'call'>,
  person: Pick<Person, 'domainId' | 'id'>,
  id: string,
  wait?: number,
) => by.call('GET', `${pathOf(person)}/${id}`, wait === undefined ? {} : { headers: { prefer: `wait=${wait}` } })

/** A question that waits for the person, and how the device answers it. */
export async function askedCaller(by: Pick<ConsoleBrowser, 'call'>, person: Person) {
  const { json: question } = await askCaller(by, person)
  const call = (await person.calls()).find(({ id }) => id === question.id)!
  const { nonce } = call
  const number = question.number as string
  const answer = (decision: string, more: object = {}) => person.answerCall(call.id, { nonce, decision, ...more })
  return {
    id: call.id,
    call,
    number,
    wrongNumber: number === '10' ? '11' : '10',
    answer,
    confirm: (more: object = {}) => answer('confirm', { number, ...more }),
    outcome: async () => (await outcomeOf(by, person, call.id)).json,
  }
}
