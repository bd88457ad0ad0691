/** All operations of the REST interface by name, in the order of the reference page. */
import * as approvals from './approvals.ts'
import * as browsers from './browsers.ts'
import * as bypassCodes from './bypass-codes.ts'
import * as domains from './domains.ts'
import type { Endpoint } from './endpoint.ts'
import * as factorImport from './factor-import.ts'
import * as factors from './factors.ts'
import * as hardware from './hardware.ts'
import * as organization from './organization.ts'
import * as passkeys from './passkeys.ts'
import * as sessions from './sessions.ts'
import * as tokens from './tokens.ts'
import * as users from './users.ts'

export interface Operation {
  /** The name of the export, such as `getUser`. */
  readonly name: string
  /** The section of the reference page, such as `Users`. */
  readonly section: string
  readonly endpoint: Endpoint
}

const sections: Readonly<Record<string, object>> = {
  Users: users,
  Domains: domains,
  Tokens: tokens,
  'Changing factors': factors,
  Sessions: sessions,
  Passkeys: passkeys,
  Approvals: approvals,
  'Hardware tokens': hardware,
  'Factors of other systems': factorImport,
  'Bypass codes': bypassCodes,
  'Known browsers': browsers,
  Organization: organization,
}

/** The order of operations on the same path. */
const methods: readonly Endpoint['method'][] = ['POST', 'GET', 'PUT', 'DELETE']

/** The operations that modules export, by the title of their section. */
export function listOperations(modules: Readonly<Record<string, object>>): readonly Operation[] {
  return Object.entries(modules).flatMap(([section, exported]) =>
    Object.entries(exported)
      .flatMap(([name, value]: [string, unknown]) => (isEndpoint(value) ? [{ name, section, endpoint: value }] : []))
      .sort(byPathAndMethod),
  )
}

export const operations: readonly Operation[] = listOperations(sections)

/** The title of an operation in documents: `GET /users/{userId}`. */
export function operationTitle({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return `${method} ${pathTemplate(path)}`
}

/** The path with its parameters in braces (RFC 6570). */
export function pathTemplate(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

function byPathAndMethod({ endpoint: a }: Operation, { endpoint: b }: Operation): number {
  return a.path === b.path ? methods.indexOf(a.method) - methods.indexOf(b.method) : a.path < b.path ? -1 : 1
}

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'errors' in value
}
