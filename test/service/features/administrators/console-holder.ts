import { invite } from '../../../../src/service/features/administrators/invitations.ts'
import type { AdminRole } from '../../../../src/contract/roles.ts'
import { ServiceOptions } from '../../../../src/service/options.ts'
import { openService } from '../../../../src/service/service.ts'
import { fetchWithHost } from '../../../support/fetch-with-host.ts'
import { createAuthenticator } from '../../../../src/testing/software-authenticator.ts'
import type { Lies } from '../../../../src/testing/software-authenticator.ts'
import { keysFor, read, startService, v14 } from '../../start-service.ts'
import type { Answer, CallOptions, Running } from '../../start-service.ts'

export const origin = 'https://console.example'

/** A service with a console, in a database that others may open. */
export type Console = Awaited<ReturnType<typeof startConsole>>

export async function startConsole(database: string, options: Partial<ServiceOptions> = {}) {
  const running = await startService({ database, console: { url: origin }, ...options })
  const beside = await openService(ServiceOptions.parse({ database, clock: running.clock, ...keysFor(database) }))
  const close = async () => {
    await beside.close()
    await running.close()
  }
  return { ...running, ctx: beside.ctx, close }
}

/** What a call contains: JSON, or a file, whose type the headers name. */
export type ConsoleCallOptions = Pick<CallOptions, 'body' | 'headers'> & { readonly file?: string }

/** Calls the console's interface as its page does. */
export async function callConsole(
  { origin: service }: Pick<Running, 'origin'>,
  method: string,
  path: string,
  { body, file, headers = {}, cookie }: ConsoleCallOptions & { cookie?: string | undefined } = {},
): Promise<Answer> {
  const response = await fetchWithHost(`${service}/console/api/admin${path}`, {
    method,
    headers: {
      host: new URL(origin).host,
      accept: v14,
      ...(method !== 'GET' && { origin }),
      ...(cookie !== undefined && { cookie }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(file !== undefined && { body: file }),
  })
  return read(response)
}

export interface Invited {
  readonly role: AdminRole
  readonly domains?: readonly string[]
  readonly user?: string
  readonly email?: string
  readonly name?: string
  readonly organizationId?: string
}

/** Invites at the command line. @returns the token of the invitation. */
export async function inviteAt(running: Console, { organizationId, ...invited }: Invited): Promise<string> {
  const { token } = await invite(running.ctx, organizationId ?? running.organization.id, {
    name: 'Olivia Owner',
    email: 'olivia@example.com',
    domains: [],
    ...invited,
  })
  return token
}

const cookieOf = ({ headers }: Answer): string => (headers.get('set-cookie') ?? '').split(';', 1)[0] ?? ''

/** A browser with an authenticator that holds no passkey yet. */
export function consoleBrowser(running: Console, at: { readonly origin: string } = { origin }) {
  const authenticator = createAuthenticator(at)
  const state: { cookie: string | undefined } = { cookie: undefined }
  const call = (method: string, path: string, options: ConsoleCallOptions = {}) =>
    callConsole(running, method, path, { ...options, cookie: state.cookie })

  function keepCookie(answer: Answer): Answer {
    if (answer.headers.has('set-cookie')) state.cookie = cookieOf(answer)
    return answer
  }

  async function register(token: string, lies: Lies = {}): Promise<Answer> {
    const started = await call('POST', '/registration/options', { body: { token } })
    if (started.status !== 200) return started
    const response = authenticator.make(started.json.options, lies)
    return keepCookie(await call('POST', '/registration', { body: { token, response, name: 'Laptop' } }))
  }

  /** Uses the newest passkey for a ceremony. */
  async function use(path: string, lies: Lies = {}): Promise<Answer> {
    const started = await call('POST', `${path}/options`)
    if (started.status !== 200) return started
    const response = authenticator.use(started.json, lies, authenticator.credentials.at(-1))
    return keepCookie(await call('POST', path, { body: { response } }))
  }

  async function addPasskey(lies: Lies = {}): Promise<Answer> {
    const started = await call('POST', '/passkeys/options')
    if (started.status !== 200) return started
    const response = authenticator.make(started.json, lies)
    return call('POST', '/passkeys', { body: { response, name: 'Security key' } })
  }

  return {
    authenticator,
    state,
    call,
    register,
    addPasskey,
    signIn: (lies: Lies = {}) => use('/sign-in', lies),
    confirm: (lies: Lies = {}) => use('/confirmation', lies),
  }
}

export type ConsoleBrowser = ReturnType<typeof consoleBrowser>

/** An administrator who is signed in. */
export async function administrator(running: Console, invited: Invited) {
  const browser = consoleBrowser(running)
  const registered = await browser.register(await inviteAt(running, invited))
  if (registered.status !== 200) throw new Error(`The administrator was not registered: ${registered.text}`)
  return { ...browser, id: registered.json.administrator.id as string, session: registered.json }
}
