import type { Request, Response, Router } from 'express'

import type { EntraSettings } from '../admin-contract/oidc-entra.ts'
import { entraClouds } from '../admin-contract/oidc-entra.ts'
import type { OidcClient } from '../admin-contract/oidc-clients.ts'
import { readForm } from '../express/request/form.ts'
import { OidcStateError } from '../service/features/oidc/state-error.ts'
import { interactionPath, prefixOf, routes } from './addresses.ts'
import { EntraError } from './entra-error.ts'
import { hintClockSkew, maxHintAge, verifyHint } from './entra-hint.ts'
import { cancelEntra, reply, showEntra } from './entra-interaction.ts'
import { entraLifetime } from './entra-token.ts'
import { readEntraRequest, textOf } from './entra-request.ts'
import { findEntraUser } from './entra-user.ts'
import { sendPage } from './interaction.ts'
import type { EntraInput, EntraInteraction, EntraReply } from './entra-visit.ts'

/** A client of kind `entra` with its settings. */
type EntraClient = OidcClient & { readonly entra: EntraSettings }

/** The model of `OidcState.adapter()` under which requests of Entra are stored. */
export const entraModel = 'EntraRequest'

/**
 * External authentication methods of Microsoft Entra: its form brings a person who has passed the first step there, and the answer says
 * how they passed the second one here. oidc-provider has no part in it, because no other client may use this flow.
 *
 * @see Microsoft, "External authentication method provider reference"
 */
export function entraRoutes(input: EntraInput): Router {
  const router = input.packages.express.Router()
  router.post(routes.authorization, (req, res, next) => void receive(input, req, res, next).catch(next))
  const path = interactionPath(`${uidPrefix}:id`)
  router.get(path, (req, res, next) => void visit(input, req, res, showEntra).catch(next))
  router.get(`${path}/cancel`, (req, res, next) => void visit(input, req, res, cancelEntra).catch(next))
  return router
}

/** Tells these pages from those of oidc-provider. */
const uidPrefix = 'entra-'

async function receive(input: EntraInput, req: Request, res: Response, next: () => void): Promise<void> {
  const form = await readForm(req)
  if (!form) return
  const client = await input.state.client(textOf(form, 'client_id') ?? '')
  if (!isEntra(client)) return next()
  const { redirectUri } = entraClouds[client.entra.cloud]
  // An answer goes to Microsoft and to nobody else, whatever the request says.
  if (textOf(form, 'redirect_uri') !== redirectUri)
    return sendPage(res, await input.pages.refused(req, 'invalid_redirect_uri'))
  const target = { input, req, res, client, redirectUri, state: textOf(form, 'state') }
  try {
    await begin(target, form)
  } catch (error) {
    await replyWith(target, error)
  }
}

const isEntra = (client: OidcClient | undefined): client is EntraClient =>
  client?.kind === 'entra' && client.entra !== null

type Target = EntraReply & { readonly client: EntraClient }

/** Verifies the request, stores it for this browser, and leads to the page of the second step. */
async function begin(target: Target, form: Parameters<typeof readEntraRequest>[0]): Promise<void> {
  const { input, req, res, client, redirectUri } = target
  const { state, apps, tenantKeys, options } = input
  const { hint: token, ...request } = readEntraRequest(form)
  const hint = await verifyHint(token, client.entra, { keys: tenantKeys, now: input.now() })
  await useUp(input, client.id, hint.digest)
  const app = await apps.find('entra', client.domain)
  if (!app) throw new EntraError('access_denied', 'the domain of the client does not exist')
  const member = await findEntraUser(await app.connect(), hint.username)
  const id = randomText(input)
  const stored = { ...request, redirectUri, sub: hint.sub, userId: member.id }
  await state.adapter(entraModel).upsert(id, { clientId: client.id, entra: stored }, entraLifetime).catch(asEntraError)
  const uid = uidPrefix + id
  const page = prefixOf(options.issuer) + interactionPath(uid)
  input.binding.bind(req, res, { uid, seconds: entraLifetime })
  // A navigation of its own, which browsers send the cookies of this origin with.
  sendPage(res, await input.pages.leaving(req, page))
}

/** A hint that somebody has noted down asks for nothing once more. */
async function useUp({ state }: EntraInput, clientId: string, digest: string): Promise<void> {
  try {
    await state
      .adapter('ReplayDetection')
      .upsert(`hint of Entra ${digest}`, { iss: clientId }, maxHintAge + 2 * hintClockSkew)
  } catch (error) {
    asEntraError(error)
  }
}

/** Tells Entra why nothing was stored. @throws */
function asEntraError(error: unknown): never {
  if (!(error instanceof OidcStateError)) throw error
  if (error.code === 'used') throw new EntraError('invalid_request', 'id_token_hint was used before', { cause: error })
  throw new EntraError('temporarily_unavailable', error.message, { cause: error })
}

/** 128 bits. */
const randomText = ({ options }: EntraInput): string => Buffer.from(options.random(16)).toString('base64url')

/** Serves the browser that has brought the request, and no other. */
async function visit(
  input: EntraInput,
  req: Request,
  res: Response,
  handler: (interaction: EntraInteraction) => Promise<void>,
): Promise<void> {
  const { state, apps, pages, binding, options } = input
  const id = String(req.params['id'])
  const uid = uidPrefix + id
  const found = await state.adapter(entraModel).find(id)
  const request = found && found['consumed'] === undefined ? (found['entra'] as EntraInteraction['request']) : undefined
  const client = request && (await state.client(String(found?.['clientId'])))
  const app = client && (await apps.find('entra', client.domain))
  if (!request || !app || !binding.isBound(req, uid)) return sendPage(res, await pages.expired(req))
  const entered = await app.enter(req, res)
  entered.session.interaction = uid
  const { redirectUri, state: ofEntra } = request
  const open = { uid, client, app }
  const base = prefixOf(options.issuer) + interactionPath(uid)
  const target = { input, req, res, client, redirectUri, state: ofEntra }
  const consume = () => state.adapter(entraModel).consume(id)
  try {
    await handler({ ...target, open, entered, request, base, consume })
  } catch (error) {
    await replyWith(target, error)
  }
}

/** @throws whatever is not an error of the protocol. */
async function replyWith(target: EntraReply, error: unknown): Promise<void> {
  if (!(error instanceof EntraError)) throw error
  const { cause } = error
  if (cause instanceof Error && error.code === 'temporarily_unavailable') {
    target.input.options.logger.warn(`oidc: ${error.message}: ${cause.message}`)
  }
  await reply(target, { error: error.code, error_description: error.message })
}
