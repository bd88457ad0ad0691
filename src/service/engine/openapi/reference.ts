import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { Eta } from 'eta'

import { errorStatus } from '../../../contract/errors.ts'
import type { ErrorCode } from '../../../contract/errors.ts'
import { mediaType } from '../../../contract/media-type.ts'
import type { Vendor } from '../../../contract/media-type.ts'
import { operations, pathTemplate } from '../../../contract/operations.ts'
import type { Operation } from '../../../contract/operations.ts'
import { messageOf } from '../base/problem.ts'
import type { OpenApi } from './document.ts'
import { introduction } from './document.ts'
import { fieldsOf } from './fields.ts'
import type { Field } from './fields.ts'
import { errorsOf } from './operation.ts'
import type { JsonSchema } from './schemas.ts'

const eta = new Eta({ views: fileURLToPath(new URL('views', import.meta.url)) })
const style = part('reference.css')

export interface ReferencePage {
  readonly html: string
  /** Allows this page's own style and script, and nothing else. */
  readonly policy: string
}

/** Renders the OpenAPI document as a page: one file, which works without its script and loads nothing. */
export function createReference(
  document: OpenApi,
  { vendor, basePath }: { vendor: Vendor; basePath: string },
): ReferencePage {
  const script = part('reference.js')
  const html = eta.render('reference', {
    style,
    script,
    basePath,
    introduction: introduction(vendor).map((paragraph) => markUp(paragraph)),
    sections: [...Map.groupBy(operations, ({ section }) => section)].map(([title, members]) => ({
      title,
      id: title.toLowerCase().replaceAll(' ', '-'),
      operations: members.map((operation) => describe(document, vendor, basePath, operation)),
    })),
    errors: Object.entries(errorStatus).map(([code, status]) => ({
      code,
      status,
      message: messageOf(code as ErrorCode),
    })),
  })
  return { html, policy: policyFor(script) }
}

/** Renders the page at `/`, which leads to the others. */
export function createHomePage(): ReferencePage {
  return { html: eta.render('home', { style }), policy: policyFor() }
}

function part(name: string): string {
  return readFileSync(new URL(`views/${name}`, import.meta.url), 'utf8')
}

function policyFor(script?: string): string {
  const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  return [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`]),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Renders words in backticks, and no other Markdown. */
function markUp(text: string): string {
  return eta.renderString('<%= it.text %>', { text }).replace(/`([^`]+)`/g, '<code>$1</code>')
}

interface ShownOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly notes: string
  readonly parameters: readonly Field[]
  readonly body: readonly Field[]
  readonly request: string
  readonly answers: readonly { readonly title: string; readonly text: string }[]
  readonly errors: readonly { readonly code: string; readonly status: number }[]
}

function describe(document: OpenApi, vendor: Vendor, basePath: string, { name, endpoint }: Operation): ShownOperation {
  const path = pathTemplate(endpoint.path)
  const described = document.paths[path]?.[endpoint.method.toLowerCase()]
  const { parameters = [], requestBody, responses } = described ?? {}
  const newest = mediaType(vendor, '1.4')
  const body = contentOf(requestBody)[newest]
  return {
    id: name,
    method: endpoint.method,
    path,
    summary: endpoint.summary,
    notes: described?.description ?? '',
    parameters: parameters.map((parameter) => ({
      name: parameter.name,
      type: parameter.in,
      required: parameter.required,
      description: ('description' in parameter ? (parameter.description ?? '') : '').replaceAll('`', ''),
    })),
    body: body ? fieldsOf(document.components.schemas, body.schema) : [],
    request: requestText(vendor, basePath, { name, endpoint, section: '' }, parameters, body?.example),
    answers: Object.entries(contentOf(responses?.['200'])).map(([title, { example }]) => ({
      title,
      text: exampleText(example),
    })),
    errors: errorsOf(endpoint).map((code) => ({ code, status: errorStatus[code] })),
  }
}

type Content = Readonly<Record<string, { schema?: JsonSchema; example?: unknown }>>

function contentOf(message: object | undefined): Content {
  return message !== undefined && 'content' in message ? (message.content as Content) : {}
}

function requestText(
  vendor: Vendor,
  basePath: string,
  { endpoint }: Operation,
  parameters: readonly { readonly name: string; readonly in: string; readonly example?: unknown }[],
  body: unknown,
): string {
  const values = new Map(parameters.map(({ name, example }) => [name, String(example)]))
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => values.get(name) ?? name)
  const [query] = parameters.filter((parameter) => parameter.in === 'query')
  const headers = [
    `Accept: ${endpoint.media ?? mediaType(vendor, '1.4')}`,
    ...parameters
      .filter((parameter) => parameter.in === 'header')
      .map(({ name, example }) => `${name}: ${String(example)}`),
  ]
  const address = `https://mfa.example${basePath}${path}${query ? `?${query.name}=${String(query.example)}` : ''}`
  return [
    `curl ${endpoint.method === 'GET' ? '' : `-X ${endpoint.method} `}${quoted(address)}`,
    `-H "Authorization: ${vendor.scheme} key=\\"$MFA_API_KEY\\""`,
    ...headers.map((header) => `-H ${quoted(header)}`),
    ...(body === undefined ? [] : [`-d ${quoted(exampleText(body))}`]),
  ].join(' \\\n  ')
}

/** Quotes a text as one word of a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Image bytes cannot be shown. */
function exampleText(example: unknown): string {
  if (example === undefined) return '…'
  return typeof example === 'string' ? example : JSON.stringify(example, undefined, 2)
}
