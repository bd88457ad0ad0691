import type * as contract from '../../../admin-contract/oidc-clients.ts'
import { RefusalError } from '../../engine/base/errors.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import {
  addOidcClient,
  changeOidcClient,
  listOidcClients,
  removeOidcClient,
  rotateOidcSecret,
} from '../oidc/clients.ts'
import type { WithSecret } from '../oidc/clients.ts'
import type { ChangeHandler } from './change.ts'
import { expectedVersion, outdated } from './if-match.ts'

export const list: Handler<typeof contract.listOidcClients> = ({ domainId }, call) => listOidcClients(call, domainId)

export const create: ChangeHandler<typeof contract.createOidcClient> = async (
  { domainId, ...settings },
  _call,
  change,
) =>
  shown(
    await refusable(change((call) => addOidcClient(call, { organizationId: call.organizationId, domainId }, settings))),
  )

export const set: ChangeHandler<typeof contract.changeOidcClient> = async (input, outside, change) => {
  const { domainId, oidcClientId, ...changes } = input
  const expected = expectedVersion(outside, 'client')
  const changed = await refusable(
    change((call) =>
      changeOidcClient(
        call,
        { organizationId: call.organizationId, domainId, id: oidcClientId },
        changes,
        async (db, { version }) => {
          if (String(version) !== expected) throw await changedMeanwhile(db, call, domainId, oidcClientId)
        },
      ),
    ),
  )
  return changed ?? notFound()
}

export const rotate: ChangeHandler<typeof contract.rotateOidcSecret> = async (input, outside, change) => {
  const { domainId, oidcClientId, overlap } = input
  const expected = outside.http?.ifMatch === undefined ? undefined : expectedVersion(outside, 'client')
  const rotated = await refusable(
    change((call) =>
      rotateOidcSecret(
        call,
        { organizationId: call.organizationId, domainId, id: oidcClientId },
        overlap * 60 * 60,
        async (_db, { version }) => {
          if (expected === undefined || String(version) === expected) return
          throw new ApiProblem('api.error.precondition', 'If-Match: the client was changed meanwhile. Read it again.')
        },
      ),
    ),
  )
  return shown(rotated ?? notFound())
}

export const remove: ChangeHandler<typeof contract.removeOidcClient> = ({ domainId, oidcClientId }, _call, change) =>
  change(async (call) => {
    const key = { organizationId: call.organizationId, domainId, id: oidcClientId }
    if (!(await removeOidcClient(call, key))) notFound()
  })

const shown = ({ client, secret }: WithSecret) => ({ ...client, ...(secret !== undefined && { clientSecret: secret }) })

function changedMeanwhile(db: Queryable, call: Call, domainId: string, client: string): Promise<ApiProblem> {
  return outdated(db, call, {
    noun: 'client',
    event: 'oidc.client_changed',
    domainIds: [domainId],
    facts: { client },
  })
}

/** What the settings do not allow is a conflict with the state of the client. */
async function refusable<T>(change: Promise<T>): Promise<T> {
  try {
    return await change
  } catch (error) {
    throw error instanceof RefusalError
      ? new ApiProblem('api.error.conflict.state', error.message, { cause: error })
      : error
  }
}

function notFound(): never {
  throw new ApiProblem('api.error.notfound.oidcclient')
}
