import { devicePaths } from '../../src/contract/device.ts'
import type { PhoneCall } from '../../src/contract/phone-calls.ts'
import { activateDevice, read } from '../service/start-service.ts'
import type { Desk } from './desk.ts'

/** The device of a person in the domain Wiki, which answers the questions of the help desk. */
export async function addPhone(desk: Desk, userId: string) {
  const { code } = await desk.client.tokens.issue(desk.domainOf('Wiki'), userId)
  const { device } = await activateDevice(new URL(desk.url).origin, desk.clock, code ?? '')
  return {
    /** @param number What the person types; only to confirm. */
    async answer(decision: 'confirm' | 'deny' | 'report', number?: string) {
      const { calls = [] } = (await read(await device.inbox())).json as { calls?: PhoneCall[] }
      const [{ id, nonce } = { id: '', nonce: '' }] = calls
      return read(await device.call(devicePaths.answerCall(id), { nonce, decision, ...(number && { number }) }))
    },
  }
}
