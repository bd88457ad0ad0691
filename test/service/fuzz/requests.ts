import { devicePaths } from '../../../src/contract/device.ts'
import { operations } from '../../../src/contract/operations.ts'
import { exampleParams, examples } from '../../../src/service/engine/openapi/examples.ts'
import { nastyValues, spoil } from './nasty.ts'
import type { Chance } from './random.ts'

/** What is known of the service, and learnt from its answers: ids by the name of their parameter. */
export interface Known {
  readonly keys: readonly string[]
  readonly ids: Readonly<Record<string, string[]>>
}

export interface FuzzRequest {
  readonly method: string
  /** Name of the operation whose path it is, or what else it is. */
  readonly about: string
  /** Whether it has the method of that operation. */
  readonly usual: boolean
  readonly bytes: Buffer
}

const devices = [
  devicePaths.preview,
  devicePaths.activate,
  devicePaths.requests,
  devicePaths.answer(exampleParams.sessionId),
  devicePaths.answerApproval(exampleParams.approvalId),
  devicePaths.remove,
]
const elsewhere = ['/healthz', '/readyz', '/docs', '/api/openapi.json', '/metrics', '/', '/api', '/api/', '//', '*']

interface Subject {
  readonly about: string
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

const subjects: readonly Subject[] = [
  ...operations.map(({ name, endpoint }) => ({
    about: name,
    method: endpoint.method,
    path: `/api${endpoint.path}`,
    body: examples[name]?.request,
  })),
  ...devices.map((path) => ({ about: path, method: 'POST', path, body: { code: 'k3v9m2p7qx' } })),
  ...elsewhere.map((path) => ({ about: path, method: 'GET', path })),
]

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND', 'QUERY']

/** A request that is HTTP, whatever else may be wrong with it. */
export function randomRequest(chance: Chance, knownIds: Known): FuzzRequest {
  const subject = chance.pick(subjects)
  const method = chance.maybe(0.85) ? subject.method : chance.pick(methods)
  const target = fill(chance, knownIds, subject) + query(chance, subject.about)
  const body = bodyOf(chance, knownIds, subject)
  const headers = [...headersOf(chance, knownIds, subject.about), ...framing(chance, body)]
  const head = `${method} ${target} HTTP/1.1\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`
  const usual = method === subject.method
  return {
    method,
    about: subject.about,
    usual,
    bytes: Buffer.concat([Buffer.from(head, 'latin1'), framed(headers, body)]),
  }
}

/** Streams of events do not end: a domain that is there would keep the connection. */
const endless: readonly string[] = ['watchSessions', 'watchApprovals']

function fill(chance: Chance, knownIds: Known, { about, path }: Subject): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const ids = knownIds.ids[name] ?? []
    if (!endless.includes(about) && ids.length > 0 && chance.maybe(0.8)) return chance.pick(ids.slice(-20))
    return chance.pick([
      '0'.repeat(40),
      'A'.repeat(40),
      '1',
      '%00',
      '%zz',
      '..',
      '%2e%2e',
      'x'.repeat(3_000),
      '%F0%9F%98%80',
    ])
  })
}

function query(chance: Chance, about: string): string {
  if (!chance.maybe(/^(find|list)/.test(about) ? 0.7 : 0.1)) return ''
  const names = ['page', 'username', 'a', '', '__proto__', 'constructor']
  const values = [
    '1',
    '2',
    '',
    '0',
    '-1',
    '1e9',
    '99999999',
    'alice',
    'a+b',
    '%00',
    '%zz',
    '%F0%9F',
    '%ED%A0%80',
    "';--",
  ]
  const pairs = Array.from({ length: 1 + chance.number(3) }, () => `${chance.pick(names)}=${chance.pick(values)}`)
  return `?${pairs.join(chance.pick(['&', '&&', ';']))}`
}

function headersOf(chance: Chance, knownIds: Known, about: string): string[] {
  const accepts = [
    '*/*',
    'application/vnd.service.v1+json',
    'application/vnd.service.v1+json; version=1.4',
    'image/png',
  ]
  const strange = ['text/html', ',', ';q=', 'application/vnd.service.v2+json', '*/*;q=0', '"', 'x'.repeat(2_000)]
  const types = [
    'application/json',
    'application/x-www-form-urlencoded',
    'application/jose',
    'text/xml',
    'multipart/x',
    '',
    '/',
  ]
  const prefer = ['wait=0', 'wait', 'wait=-1', 'wait=x', 'respond-async', 'wait="0"', ',,,']
  return [
    'Host: fuzz',
    ...authorization(chance, knownIds),
    ...(chance.maybe(0.9) ? [`Accept: ${endless.includes(about) ? accepts[2] : chance.pick(accepts)}`] : []),
    ...(chance.maybe(0.05) ? [`Accept: ${chance.pick(strange)}`] : []),
    ...(chance.maybe(0.3) ? [`Content-Type: ${chance.pick(types)}`] : []),
    ...(chance.maybe(0.1) ? [`Prefer: ${chance.pick(prefer)}`] : []),
    ...(chance.maybe(0.1) ? [`X-Request-Id: ${chance.pick(['fuzz', '"', '\u00ff', 'x'.repeat(500)])}`] : []),
    ...(chance.maybe(0.05) ? [`If-None-Match: ${chance.pick(['*', '"x"', 'W/', ','])}`] : []),
    ...(chance.maybe(0.02) ? [`Content-Encoding: ${chance.pick(['gzip', 'br', 'x', 'identity'])}`] : []),
  ]
}

function authorization(chance: Chance, { keys }: Known): string[] {
  if (chance.maybe(0.9)) return [`Authorization: Service key="${chance.pick(keys)}"`]
  const wrong = ['', 'Service', 'Service key=', `Service key="${'a'.repeat(64)}"`, 'Device a.b.c', 'Bearer x', '\u00e9']
  return chance.maybe(0.2) ? [] : [`Authorization: ${chance.pick(wrong)}`]
}

function bodyOf(chance: Chance, knownIds: Known, { about, body }: Subject): Buffer {
  if (body === undefined) return Buffer.from(chance.maybe(0.1) ? chance.pick(nastyValues) : '')
  const ownBody = about in ownBodies ? { ...(body as object), ...ownBodies[about]?.(chance, knownIds) } : body
  if (chance.maybe(0.35)) return Buffer.from(JSON.stringify(ownBody))
  return spoil(chance, ownBody)
}

/** What has to be different each time to succeed. */
const ownBodies: Readonly<Record<string, (chance: Chance, knownIds: Known) => object>> = {
  createUser: (chance) => ({ username: `user ${chance.number(1e9)}` }),
  createHardwareToken: (chance) => ({ serialNumber: `${chance.number(1e9)}` }),
  createSession: (chance, { ids }) => ({
    user: { id: chance.pick(ids['userId']?.slice(-20) ?? []) },
    ...(chance.maybe(0.7) && { [chance.pick(['otp', 'bypasscode'])]: `${chance.number(1e6)}` }),
  }),
}

function framing(chance: Chance, body: Buffer): string[] {
  if (body.length === 0) return chance.maybe(0.5) ? ['Content-Length: 0'] : []
  return chance.maybe(0.1) ? ['Transfer-Encoding: chunked'] : [`Content-Length: ${body.length}`]
}

function framed(headers: readonly string[], body: Buffer): Buffer {
  if (!headers.includes('Transfer-Encoding: chunked')) return body
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])
}
