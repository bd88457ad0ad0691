import type { IncomingMessage, ServerResponse } from 'node:http'

import { findMember } from '../challenge/user.ts'
import type { OidcEvent } from '../service/features/oidc/record.ts'
import { OidcStateError } from '../service/features/oidc/state-error.ts'
import { factsOf } from './authentication-context.ts'
import { entraAmr, factorsFor } from './entra-context.ts'
import { signEntraToken } from './entra-token.ts'
import { challenge, enterAs } from './interaction-routes.ts'
import { decide, sendPage } from './interaction.ts'
import type { Requirement } from './requirement.ts'
import type { EntraInteraction, EntraReply } from './entra-visit.ts'

/** Asks for the second step, and answers Entra once it is passed. */
export async function showEntra(interaction: EntraInteraction): Promise<void> {
  const { input, req, request, open, client } = interaction
  const service = await open.app.connect()
  const member = await findMember(service, { serviceUserId: request.userId })
  if (!member) return refuse(interaction, { code: 'access_denied', message: 'the user is no member of the domain' })
  const entered = await enterAs(interaction, member)
  const asked = { ...open, requirement: freshStepOf(request.userId) }
  const decision = await decide(asked, entered, req, input.now())
  if (decision.kind !== 'finish') {
    return challenge({ ...interaction, entered, open: asked }, { factors: factorsFor(request.amrs) })
  }
  const { login, error, error_description: description = '' } = decision.result
  const { verified } = entered
  if (!login || !verified) return refuse(interaction, { code: String(error), message: String(description) })
  const facts = await factsOf(service, request.userId, verified)
  const amr = entraAmr(verified.factor, facts, request.amrs)
  if (amr === undefined) {
    return refuse(interaction, {
      code: 'unmet_authentication_requirements',
      message: 'the factor is none of the requested values of amr',
    })
  }
  if (!(await isFirst(interaction))) return
  const { acr, sub, nonce } = request
  const claims = { iss: input.options.issuer, aud: client.id, sub, nonce, acr, amr: [amr] } as const
  const token = signEntraToken(input.keys(), claims, input.now())
  const happened = {
    event: 'signed_in',
    clientId: client.id,
    address: req.ip,
    userId: request.userId,
    acr,
    amr: [amr],
  } as const
  await noteEvent(input, happened)
  await post(interaction, { id_token: token })
}

/** Entra asks for a second step of this user, now. What was passed before does not count. */
const freshStepOf = (userId: string): Requirement => ({
  fresh: true,
  maxAge: undefined,
  acrs: [],
  essential: false,
  subject: userId,
})

export const cancelEntra = (interaction: EntraInteraction): Promise<void> =>
  refuse(interaction, { code: 'access_denied', message: 'the person gave up the sign-in' })

interface Refusal {
  readonly code: string
  readonly message: string
}

async function refuse(interaction: EntraInteraction, { code, message }: Refusal): Promise<void> {
  if (await isFirst(interaction)) await reply(interaction, { error: code, error_description: message })
}

/** Whether this is the first answer to the request. Any other shows that it has ended. */
async function isFirst({ consume, input, req, res, open }: EntraInteraction): Promise<boolean> {
  try {
    await consume()
    input.binding.release(res, open.uid)
    return true
  } catch (error) {
    if (!(error instanceof OidcStateError)) throw error
    sendPage(res, await input.pages.expired(req))
    return false
  }
}

/** The request is used up by now: an audit trail that cannot be written must not take the answer from the person. */
function noteEvent({ state, options }: EntraReply['input'], event: OidcEvent): Promise<void> {
  return state.record(event).catch((error: unknown) => options.logger.error(`oidc: ${String(error)}`))
}

/** Tells Entra why there is no token. */
export async function reply(
  target: EntraReply,
  refusal: { readonly error: string; readonly error_description: string },
): Promise<void> {
  const { input, req, client } = target
  await noteEvent(input, { event: 'refused', clientId: client.id, address: req.ip, reason: refusal.error })
  await post(target, refusal)
}

async function post(
  {
    input,
    req,
    res,
    redirectUri,
    state,
  }: Pick<EntraReply, 'input' | 'redirectUri' | 'state'> & {
    readonly req: IncomingMessage
    readonly res: ServerResponse
  },
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  const page = await input.pages.posting(req, redirectUri, { ...fields, ...(state !== undefined && { state }) })
  sendPage(res, page)
}
