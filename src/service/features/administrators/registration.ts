import type * as contract from '../../../admin-contract/sign-in.ts'
import { domainIdsOf } from './invitations.ts'
import { audit } from '../../engine/audit/audit.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { loadWebAuthn } from '../passkeys/webauthn.ts'
import { hashSecret } from '../../engine/base/secret.ts'
import { newId } from '../../engine/base/random.ts'
import { openInvitation, useInvitation } from './invitation-statements.ts'
import type { InvitationRow } from './invitation-statements.ts'
import { insertAdministrator } from './statements.ts'
import { organizationById } from '../domains/organization-statements.ts'
import { consoleOf } from './call.ts'
import { beginCeremony, ceremonyEnded, creationOptions, useCeremony, userHandleOf, verifyMade } from './ceremonies.ts'
import { storePasskey } from './own-passkeys.ts'
import { answerSignIn, beginSession } from './sessions.ts'

export const start: Handler<typeof contract.startAdminRegistration> = async ({ token }, call) => {
  await loadWebAuthn(call)
  const { id, name, email, role, organizationId } = await find(call, token)
  const challenge = beginCeremony(call, { kind: 'register', subject: id })
  const userHandle = userHandleOf(challenge)
  const organization = (await organizationById(call.store.db, organizationId))?.name ?? ''
  return {
    options: creationOptions(consoleOf(call), challenge, { userHandle, name, email }, []),
    invitation: { name, email, role, organization },
  }
}

export const finish: Handler<typeof contract.finishAdminRegistration> = async ({ token, response, name }, call) => {
  const { id: subject } = await find(call, token)
  const { credential, ceremony } = await verifyMade(call, response, { kind: 'register', subject })
  const userHandle = userHandleOf(ceremony.challenge)
  const now = call.clock.now()
  const session = await call.store.db.transaction().execute(async (db) => {
    const invitation = await useInvitation(db, hashSecret(token), now)
    if (!invitation) throw noInvitation()
    if (!(await useCeremony(db, call, ceremony))) throw ceremonyEnded()
    const { organizationId, email, role, userId } = invitation
    const id = newId(call.random)
    const row = { id, organizationId, name: invitation.name, email, role, userId, userHandle, createdAt: now }
    await insertAdministrator(db, row, domainIdsOf(invitation))
    await storePasskey(db, call, { administratorId: id, name, credential })
    const actor = { kind: 'administrator', id } as const
    const facts = { administrator: id, invitation: invitation.id, role }
    await audit(db, call, { event: 'administrator.registered', organizationId, actor, facts })
    return beginSession(db, call, id)
  })
  return answerSignIn(call, session)
}

async function find(call: Call, token: string): Promise<InvitationRow> {
  const invitation = await openInvitation(call.store.db, hashSecret(token), call.clock.now())
  consoleOf(call).countUnsigned(invitation && `invitation ${invitation.id}`)
  if (!invitation) throw noInvitation()
  return invitation
}

const noInvitation = () => new ApiProblem('api.error.notfound.invitation')
