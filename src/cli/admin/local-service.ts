import type { Endpoint, EndpointInput, EndpointOutput } from '../../contract/endpoint.ts'
import { routes } from '../../service/api/routes.ts'
import type { ServiceContext } from '../../service/context/service-context.ts'
import type { Caller } from '../../service/context/caller.ts'
import { route } from '../../service/http/route.ts'
import type { Handler } from '../../service/http/route.ts'
import { organizations } from '../../service/store/organizations.ts'
import { Failure } from '../device/failure.ts'
import { exitCode } from '../device/exit-codes.ts'
import { needDatabase } from '../service/database-name.ts'
import { withDatabase } from '../service/with-database.ts'
import type { AdminSettings } from './command.ts'
import { inOneLine } from './problems.ts'
import { quote } from './print.ts'

/** The service, as an administrator of one organization has it at hand. */
export interface LocalService {
  readonly ctx: ServiceContext
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

/** Opens the database for one action; what the service refuses becomes one line. */
export function withService(settings: AdminSettings, action: (service: LocalService) => Promise<void>): Promise<void> {
  return withContext(settings, async (ctx) => {
    const organization = choose(await organizations(ctx.store.db), settings.organization)
    const caller = { ...ctx, organizationId: organization.id, role: 'admin', limitedTo: null, version: '1.4' } as const
    await action({ ctx, organization, call: operationsFor(caller) })
  })
}

/** The same for what is not one organization's. */
export async function withContext(
  { database, keys }: Pick<AdminSettings, 'database'> & { readonly keys?: string | undefined },
  action: (ctx: ServiceContext) => Promise<void>,
): Promise<void> {
  needDatabase(database)
  await withDatabase(
    database,
    (ctx) =>
      action(ctx).catch((error: unknown) => {
        throw inOneLine(error)
      }),
    { keys },
  )
}

function choose(all: readonly { id: string; name: string }[], name: string | undefined) {
  const names = all.map((one) => quote(one.name)).join(', ')
  const [first, ...others] = name === undefined ? all : all.filter((one) => one.name === name)
  if (first && others.length === 0) return first
  if (all.length === 0) throw new Failure('There is no organization yet. Make one: second-factor init')
  if (name === undefined) {
    throw new Failure(`There are several organizations. Say which with --organization: ${names}`, exitCode.usage)
  }
  throw new Failure(`There is no organization ${quote(name)}. There is: ${names}`)
}

function operationsFor(caller: Caller): LocalService['call'] {
  return async <E extends Endpoint>(endpoint: E, input: EndpointInput<E>, handler?: Handler<E>) => {
    const served = handler ? route(endpoint, handler) : routes.find((one) => one.endpoint === endpoint)
    if (!served) throw new Error(`${endpoint.method} ${endpoint.path} is not served`)
    const { params = {}, query = {}, body } = input as { params?: unknown; query?: unknown; body?: unknown }
    const given = { params, query, body: () => Promise.resolve(body) }
    return (await served.run(given, caller)) as EndpointOutput<E>
  }
}

/** Pages hold 100 rows each; a shorter one is the last. */
export async function allPages<T>(read: (page: number) => Promise<readonly T[]>): Promise<T[]> {
  const all: T[] = []
  for (let page = 1; ; page += 1) {
    const rows = await read(page)
    all.push(...rows)
    if (rows.length < 100) return all
  }
}
