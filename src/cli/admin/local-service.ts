import type { Endpoint, EndpointInput, EndpointOutput } from '../../contract/endpoint.ts'
import { routes } from '../../service/routes/rest.ts'
import type { ServiceContext } from '../../service/engine/context/service-context.ts'
import type { Caller } from '../../service/engine/context/caller.ts'
import { route } from '../../service/engine/http/route.ts'
import type { Handler } from '../../service/engine/http/route.ts'
import { organizations } from '../../service/features/domains/organization-statements.ts'
import { withDatabase } from '../database/open.ts'
import type { CommandMail } from '../database/open.ts'
import { commandOf, exitCode, Failure, withErrorHandling } from '../terminal/failure.ts'
import { quote } from '../terminal/print.ts'
import type { AdminSettings } from './command.ts'

/** The service, for an administrator of one organization who has the database. */
export interface LocalService {
  readonly ctx: ServiceContext
  /** An administrator of the organization, for what is no operation of the REST interface. */
  readonly caller: Caller
  readonly organization: { readonly id: string; readonly name: string }
  /**
   * Runs an operation of the REST interface in this process, with the same validation, rules and errors as over HTTP.
   * @param handler Replaces the handler of the REST interface.
   */
  readonly call: <E extends Endpoint>(
    endpoint: E,
    input: EndpointInput<E>,
    handler?: Handler<E>,
  ) => Promise<EndpointOutput<E>>
}

/** Wraps the action of a command on one organization, which gets the service and what was typed. */
export function serviceAction<A extends unknown[]>(action: (service: LocalService, ...args: A) => Promise<void>) {
  return withErrorHandling((...args: A) => withService(commandOf(args).opts(), (service) => action(service, ...args)))
}

/** The same for a command that sends mail. */
export function mailingAction<A extends unknown[]>(action: (service: LocalService, ...args: A) => Promise<void>) {
  return withErrorHandling((...args: A) => {
    const settings = commandOf(args).opts<MailingSettings>()
    const mail = { authenticatorUrl: settings.authenticatorUrl }
    return withService(settings, (service) => action(service, ...args), mail)
  })
}

interface MailingSettings extends AdminSettings {
  readonly authenticatorUrl?: string
}

/** Opens the database of one organization for one command. */
export function withService(
  settings: AdminSettings,
  action: (service: LocalService) => Promise<void>,
  mail?: CommandMail,
): Promise<void> {
  return withDatabase({ database: settings.database, mail }, async (ctx) => {
    const organization = chooseOrganization(await organizations(ctx.store.db), settings.organization)
    const caller = { ...ctx, organizationId: organization.id, role: 'admin', limitedTo: null, version: '1.4' } as const
    await action({ ctx, organization, caller, call: operationsFor(caller) })
  })
}

function chooseOrganization(all: readonly { id: string; name: string }[], name: string | undefined) {
  const names = all.map((organization) => quote(organization.name)).join(', ')
  const [first, ...otherOrganizations] =
    name === undefined ? all : all.filter((organization) => organization.name === name)
  if (first && otherOrganizations.length === 0) return first
  if (all.length === 0) throw new Failure('The database has no organization yet. Create one: second-factor init')
  if (name === undefined) {
    throw new Failure(
      `The database has several organizations. Add --organization with one of: ${names}`,
      exitCode.usage,
    )
  }
  throw new Failure(`No organization ${quote(name)}. Choose one of: ${names}`)
}

function operationsFor(caller: Caller): LocalService['call'] {
  return async <E extends Endpoint>(endpoint: E, input: EndpointInput<E>, handler?: Handler<E>) => {
    const served = handler ? route(endpoint, handler) : routes.find((candidate) => candidate.endpoint === endpoint)
    if (!served) throw new Error(`${endpoint.method} ${endpoint.path} is not served`)
    const { params = {}, query = {}, body } = input as { params?: unknown; query?: unknown; body?: unknown }
    const request = { params, query, body: () => Promise.resolve(body) }
    return (await served.run(request, caller)) as EndpointOutput<E>
  }
}

/** Reads pages of 100 rows each; a shorter page is the last. */
export async function allPages<T>(read: (page: number) => Promise<readonly T[]>): Promise<T[]> {
  const all: T[] = []
  for (let page = 1; ; page += 1) {
    const rows = await read(page)
    all.push(...rows)
    if (rows.length < 100) return all
  }
}
