import type { RequestOptions } from '../contract/webauthn.ts'
import type { TestDevice } from './test-device.ts'
import type { TestPasskey } from './test-passkey.ts'

/** The part of a supertest agent that is used here. It stores cookies and does not follow redirects. */
export interface Agent {
  get(path: string): AgentRequest
  post(path: string): AgentRequest
}

interface AgentRequest extends PromiseLike<AgentAnswer> {
  set(headers: Record<string, string>): AgentRequest
  send(body: string): AgentRequest
}

export interface AgentAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly text: string
}

/** A code to type: that of an authenticator app which `importFactors` knows, for example. */
export interface TypedCode {
  readonly code: string
}

export interface PassOptions {
  /** The path at which mfa() serves the challenge. */
  readonly path?: string
}

/** The headers of a browser that navigates to a page. */
const browser = { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Site': 'same-origin' }

/**
 * Passes the second step for an agent that has signed in: opens the challenge, approves on the device, uses the passkey or
 * types the code, and continues.
 *
 * @returns the redirect response; its `location` is the page that was requested first.
 * @throws {Error} with the headline of the challenge page when it fails.
 *
 * @example
 * const agent = request.agent(app)
 * await agent.post('/login').send({ username: 'alice', password })
 * await passSecondStep(agent, device)
 */
export async function passSecondStep(
  agent: Agent,
  by: TestDevice | TestPasskey | TypedCode,
  options: PassOptions = {},
): Promise<AgentAnswer> {
  const { path = '/mfa' } = options
  checkMeans(by)
  const page = await open(agent, path)
  if (page.status !== 200) throw new Error(`The challenge page returned status ${page.status}${headline(page)}`)
  const done = await pass(agent, by, path)
  const { location = path } = done.headers
  if (done.status !== 303) throw new Error(`The second step was not passed${headline(done)}`)
  if (!location.startsWith(path)) return done
  // The page to which this leads says what was wrong.
  throw new Error(`The second step was not passed${headline(await agent.get(location).set(browser))}`)
}

/** Tests in JavaScript have no types that say so. @throws {TypeError} for anything but a device, a passkey or a code. */
function checkMeans(by: unknown): void {
  if (typeof by === 'object' && by !== null && ['approve', 'use', 'code'].some((name) => name in by)) return
  const hint = by instanceof Promise ? ', got a promise: write await before service.enroll()' : ''
  throw new TypeError(`passSecondStep: needs a device, a passkey or { code }${hint}`)
}

/** The first answer may only set the cookie that binds the challenge to this browser. */
async function open(agent: Agent, path: string): Promise<AgentAnswer> {
  const answer = await agent.get(path).set(browser)
  const { location } = answer.headers
  return answer.status === 303 && location?.startsWith(`${path}?`) ? agent.get(location).set(browser) : answer
}

function pass(agent: Agent, by: TestDevice | TestPasskey | TypedCode, path: string): Promise<AgentAnswer> {
  if ('code' in by) return post(agent, `${path}/code`, { code: by.code })
  return 'use' in by ? usePasskey(agent, by, path) : approve(agent, by, path)
}

async function approve(agent: Agent, device: TestDevice, path: string): Promise<AgentAnswer> {
  await device.approve()
  return agent.post(`${path}/complete`).set(browser)
}

async function usePasskey(agent: Agent, passkey: TestPasskey, path: string): Promise<AgentAnswer> {
  const { status, text } = await agent.post(`${path}/passkey/options`).set(browser)
  if (status !== 200) throw new Error(`The page offers no passkey: status ${status} ${text}`)
  const response = JSON.stringify(passkey.use(JSON.parse(text) as RequestOptions))
  return post(agent, `${path}/passkey`, { response })
}

async function post(agent: Agent, address: string, fields: Record<string, string>): Promise<AgentAnswer> {
  const headers = { ...browser, 'Content-Type': 'application/x-www-form-urlencoded' }
  return agent.post(address).set(headers).send(new URLSearchParams(fields).toString())
}

function headline({ text }: AgentAnswer): string {
  const heading = /<h1[^>]*>([^<]*)/.exec(text)?.[1]?.trim()
  return heading === undefined ? '' : `: ${heading.replaceAll('&#39;', "'")}`
}
