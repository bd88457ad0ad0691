import type * as contract from '../../../admin-contract/sign-in.ts'
import { audit, auditCall } from '../../engine/audit/audit.ts'
import { auditRefusal } from '../../engine/audit/refusals.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { loadWebAuthn } from '../passkeys/webauthn.ts'
import type { Assertion, AuthenticationAnswer } from '../passkeys/webauthn.ts'
import { isRegression } from '../passkeys/rules.ts'
import {
  administratorPasskeyByCredential,
  noteAdministratorPasskeyUse,
  passkeysOfAdministrator,
} from './passkey-statements.ts'
import type { AdministratorPasskeyRow } from './passkey-statements.ts'
import { notePass, removeAdministratorSession } from './session-statements.ts'
import { administratorById } from './statements.ts'
import type { AdministratorRow } from './statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { consoleOf, notSignedIn, signedIn } from './call.ts'
import type { ChangeHandler } from './change.ts'
import { beginCeremony, requestOptions, useCeremony, verifyUse, wrongAnswer } from './ceremonies.ts'
import { consoleCookie } from './cookie.ts'
import { answerSignIn, beginSession, findSignedIn, sessionView } from './sessions.ts'

/** A sign-in belongs to no administrator yet: the answer names one by its user handle. */
const ofSignIn = { kind: 'sign_in', subject: '' } as const

export const startSignIn: Handler<typeof contract.startAdminSignIn> = async (_input, call) => {
  await loadWebAuthn(call)
  return requestOptions(consoleOf(call), beginCeremony(call, ofSignIn))
}

export const signIn: Handler<typeof contract.adminSignIn> = async ({ response }, call) => {
  const { passkey, administrator } = await findNamed(call, response)
  consoleOf(call).countUnsigned(passkey && `passkey ${passkey.id}`)
  const assertion = await verifyUse(call, { response, passkey }, ofSignIn)
  if (!assertion || !passkey || !administrator) throw await refuse(call)
  const session = await call.store.db.transaction().execute(async (db) => {
    const currentRow = await administratorById(db, administrator.id)
    if (currentRow?.revokedAt !== null || !(await useCeremony(db, call, assertion.ceremony))) return undefined
    if (!(await use(db, call, passkey, assertion))) return undefined
    const { id, organizationId } = currentRow
    const facts = { administrator: id, passkey: passkey.id }
    const actor = { kind: 'administrator', id } as const
    await audit(db, call, { event: 'administrator.signed_in', organizationId, actor, facts })
    return beginSession(db, call, id)
  })
  if (!session) throw await refuse(call)
  return answerSignIn(call, session)
}

export const startConfirmation: Handler<typeof contract.startConfirmation> = async (_input, call) => {
  await loadWebAuthn(call)
  const allowed = await passkeysOfAdministrator(call.store.db, signedIn(call).id)
  return requestOptions(consoleOf(call), beginCeremony(call, ofConfirmation(call)), allowed)
}

/** The ceremony of one session: what another session of the same administrator has started confirms nothing here. */
const ofConfirmation = (call: Call) => ({ kind: 'confirm', subject: signedIn(call).session.hash }) as const

export const confirm: ChangeHandler<typeof contract.confirmAdmin> = async ({ response }, call, change) => {
  const { id, session } = signedIn(call)
  const { passkey, administrator } = await findNamed(call, response)
  const ownPasskey = administrator?.id === id ? passkey : undefined
  const assertion = await verifyUse(call, { response, passkey: ownPasskey }, ofConfirmation(call))
  if (!assertion || !ownPasskey) throw await refuse(call)
  const accepted = await change(async (inside) => {
    const { db } = inside.store
    if (!(await useCeremony(db, inside, assertion.ceremony)) || !(await use(db, inside, ownPasskey, assertion)))
      return false
    if (!(await notePass(db, session.hash, call.clock.now()))) throw notSignedIn()
    await auditCall(db, inside, 'administrator.confirmed', { administrator: id, passkey: ownPasskey.id })
    return true
  })
  if (!accepted) throw await refuse(call)
  return showSession(call, session.hash)
}

export const get: Handler<typeof contract.getAdminSession> = async (_input, call) => sessionView(call, signedIn(call))

export const signOut: ChangeHandler<typeof contract.adminSignOut> = async (_input, call, change) => {
  const { id, session } = signedIn(call)
  await change(async (inside) => {
    await removeAdministratorSession(inside.store.db, session.hash)
    await auditCall(inside.store.db, inside, 'administrator.signed_out', { administrator: id })
  })
  call.http?.setHeader('Set-Cookie', consoleCookie(consoleOf(call).origin).ended)
}

async function showSession(call: Call, hash: string) {
  const session = await findSignedIn(call, hash)
  if (!session) throw notSignedIn()
  return sessionView(call, session)
}

interface Named {
  readonly passkey: AdministratorPasskeyRow | undefined
  readonly administrator: AdministratorRow | undefined
}

/** The passkey that an answer names, if the answer names its administrator as well (WebAuthn section 7.2, step 6). */
async function findNamed(call: Call, { id, response }: AuthenticationAnswer): Promise<Named> {
  const { db } = call.store
  const passkey = await administratorPasskeyByCredential(db, id, consoleOf(call).rpId)
  const administrator = passkey && (await administratorById(db, passkey.administratorId))
  const isNamed = administrator?.revokedAt === null && response.userHandle === administrator.userHandle
  return isNamed ? { passkey, administrator } : { passkey: undefined, administrator: undefined }
}

/** Stores the use of a passkey. In a transaction. @returns false where it is refused. */
async function use(
  db: Queryable,
  call: Call,
  passkey: AdministratorPasskeyRow,
  { counter, synced, syncable }: Assertion,
): Promise<boolean> {
  const regressed = isRegression(counter, passkey.counter)
  if (regressed) {
    const { id, administratorId } = passkey
    const organizationId = (await administratorById(db, administratorId))?.organizationId ?? null
    const facts = { administrator: administratorId, passkey: id }
    await audit(db, call, { event: 'administrator.passkey_counter_regressed', organizationId, facts })
  }
  if (regressed && call.refuseClones) return false
  const used = {
    counter: Math.max(counter, passkey.counter),
    synced: synced ? 1 : 0,
    syncable: syncable ? 1 : 0,
  } as const
  return noteAdministratorPasskeyUse(db, passkey.id, used, call.clock.now())
}

/** Records a wrong answer. It says nothing about what was wrong. */
async function refuse(call: Call) {
  const actor = { kind: 'administrator', id: 'unknown' } as const
  await auditRefusal(call, { event: 'administrator.sign_in_refused', organizationId: null, actor, facts: {} })
  return wrongAnswer()
}
