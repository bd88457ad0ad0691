import type * as contract from '../../../admin-contract/sign-in.ts'
import { maxPasskeys } from '../../../contract/passkeys.ts'
import { auditCall } from '../../engine/audit/audit.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { loadWebAuthn } from '../passkeys/webauthn.ts'
import type { MadeCredential } from '../passkeys/webauthn.ts'
import { newId } from '../../engine/base/random.ts'
import {
  insertAdministratorPasskey,
  passkeysOfAdministrator,
  removeAdministratorPasskey,
  sealAdministratorKey,
} from './passkey-statements.ts'
import { administratorById } from './statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { consoleOf, notSignedIn, signedIn } from './call.ts'
import type { ChangeHandler } from './change.ts'
import { beginCeremony, ceremonyEnded, creationOptions, passkeyView, useCeremony, verifyMade } from './ceremonies.ts'

export const list: Handler<typeof contract.listAdminPasskeys> = async (_input, call) => {
  const rows = await passkeysOfAdministrator(call.store.db, signedIn(call).id)
  return rows.map((row) => passkeyView(row))
}

export const start: Handler<typeof contract.startAdminPasskey> = async (_input, call) => {
  await loadWebAuthn(call)
  const { id } = signedIn(call)
  const { db } = call.store
  const administrator = await administratorById(db, id)
  if (!administrator) throw notSignedIn()
  const passkeys = await passkeysOfAdministrator(db, id)
  if (passkeys.length >= maxPasskeys) throw new ApiProblem('api.error.limit.passkeys')
  return creationOptions(consoleOf(call), beginCeremony(call, ofAddition(call)), administrator, passkeys)
}

const ofAddition = (call: Call) => ({ kind: 'add', subject: signedIn(call).session.hash }) as const

export const add: ChangeHandler<typeof contract.addAdminPasskey> = async ({ response, name }, outside, change) => {
  const { id: administratorId } = signedIn(outside)
  const { credential, ceremony } = await verifyMade(outside, response, ofAddition(outside))
  return change(async (call) => {
    const { db } = call.store
    if (!(await useCeremony(db, call, ceremony))) throw ceremonyEnded()
    const { length } = await passkeysOfAdministrator(db, administratorId)
    if (length >= maxPasskeys) throw new ApiProblem('api.error.limit.passkeys')
    const row = await storePasskey(db, call, { administratorId, name, credential })
    await auditCall(db, call, 'administrator.passkey_added', { administrator: administratorId, passkey: row.id })
    return passkeyView({ ...row, lastUsedAt: null })
  })
}

export const remove: ChangeHandler<typeof contract.deleteAdminPasskey> = ({ passkeyId }, _call, change) =>
  change(async (call) => {
    const { id: administratorId } = signedIn(call)
    const { db } = call.store
    if (!(await removeAdministratorPasskey(db, { id: passkeyId, administratorId })))
      throw new ApiProblem('api.error.notfound.passkey')
    if ((await passkeysOfAdministrator(db, administratorId)).length === 0)
      throw new ApiProblem('api.error.conflict.state', 'This is your last passkey. Add another one first.')
    await auditCall(db, call, 'administrator.passkey_removed', { administrator: administratorId, passkey: passkeyId })
  })

interface NewPasskey {
  readonly administratorId: string
  readonly name: string
  readonly credential: MadeCredential
}

/** Call it in a transaction. @throws {ApiProblem} `api.error.conflict.passkey` */
export async function storePasskey(db: Queryable, call: Call, { administratorId, name, credential }: NewPasskey) {
  const id = newId(call.random)
  const row = {
    id,
    administratorId,
    rpId: consoleOf(call).rpId,
    name,
    credentialId: credential.credentialId,
    publicKey: sealAdministratorKey(call.secrets, { id, administratorId }, credential.publicKey),
    counter: credential.counter,
    transports: JSON.stringify(credential.transports),
    syncable: credential.syncable ? 1 : 0,
    synced: credential.synced ? 1 : 0,
    createdAt: call.clock.now(),
  } as const
  if (!(await insertAdministratorPasskey(db, row))) throw new ApiProblem('api.error.conflict.passkey')
  return row
}
