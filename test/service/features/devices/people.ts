import { devicePaths } from '../../../../src/contract/device.ts'
import { createDeviceCalls, createDeviceSigner, previewCode } from '../../../support/device-signer.ts'
import type { Received } from '../../../support/quick-fetch.ts'
import { unique } from '../codes/code-holder.ts'
import { newUser, read } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

/** A device with one request, and what it would answer honestly. */
export async function asked(running: Running, more: object = {}) {
  const enrolled = await running.enroll(`asked ${unique()}`)
  const session = await enrolled.ask(more)
  const [request] = await enrolled.pending()
  const path = devicePaths.answer(session.id)
  return { ...enrolled, id: session.id, number: session.number, request: request!, nonce: request!.nonce, path }
}

/** A pending token, and a person who knows its code. */
export async function invited(running: Running) {
  const { json: user } = await running.call('POST', '/users', { body: newUser(`invited ${unique()}`) })
  const membership = `/domains/${running.domain.id}/users/${user.id}`
  await running.call('PUT', membership)
  const { json: token } = await running.call('PUT', `${membership}/token`)
  const code: string = token.code
  const newDevice = async () => {
    const previewed = await read(await previewCode(running.origin, code))
    const signer = await createDeviceSigner({ service: previewed.json.service, now: () => running.clock.now() })
    return { signer, previewed, ...createDeviceCalls(running.origin, signer) }
  }
  return { user, code, newDevice }
}

export async function outcome(response: Received) {
  const { status, code } = await read(response)
  return [status, code]
}

/** A new device that has scanned the code of a move, and asks for the account. */
export async function claimMove(running: Running, code: string) {
  const { json: previewed } = await read(await previewCode(running.origin, code))
  const signer = await createDeviceSigner({ service: previewed.service, now: () => running.clock.now() })
  const calls = createDeviceCalls(running.origin, signer)
  const claim = { code, name: 'New phone', key: signer.publicKey }
  signer.id = (await read(await calls.call(devicePaths.claimMove, claim))).json.device
  await calls.call(devicePaths.collectMove)
  return { id: signer.id, calls }
}
