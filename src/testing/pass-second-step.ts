import type { TestDevice } from './test-device.ts'

/** The part of a supertest agent that is used here. It stores cookies and does not follow redirects. */
export interface Agent {
  get(path: string): AgentRequest
  post(path: string): AgentRequest
}

interface AgentRequest extends PromiseLike<AgentAnswer> {
  set(headers: Record<string, string>): AgentRequest
}

export interface AgentAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly text: string
}

export interface PassOptions {
  /** Where mfa() serves the challenge. */
  readonly path?: string
}

/** The headers of a browser that navigates to a page. */
const browser = { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Site': 'same-origin' }

/**
 * Passes the second step for an agent that has signed in: opens the challenge, approves on the device, and continues.
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
  device: TestDevice,
  options: PassOptions = {},
): Promise<AgentAnswer> {
  const { path = '/mfa' } = options
  const page = await agent.get(path).set(browser)
  if (page.status !== 200) throw new Error(`The challenge page returned status ${page.status}${headline(page)}`)
  await device.approve()
  const done = await agent.post(`${path}/complete`).set(browser)
  if (done.status !== 303 || done.headers['location']?.startsWith(path)) {
    throw new Error(`The second step was not passed${headline(done)}`)
  }
  return done
}

function headline({ text }: AgentAnswer): string {
  const found = /<h1[^>]*>([^<]*)/.exec(text)?.[1]?.trim()
  return found === undefined ? '' : `: ${found}`
}
