import { waitForApproval } from './approval.ts'
import { parseUrl } from './parse-url.ts'
import { challengeHeader, leadFrom, maxWait, refusalOf } from './second-step.ts'
import type { Refusal, SecondStepOptions } from './second-step.ts'

/**
 * Does what {@link leadToSecondStep} does for every answer to `fetch()` and `XMLHttpRequest`, without a change to the calls of the app
 * and of its libraries. Call it once, before them.
 *
 * While the browser leaves the page, a `fetch()` that was refused waits for up to ten seconds: the app shows no error meanwhile.
 *
 * @returns a function that undoes it.
 *
 * @example
 * followSecondStep()
 * followSecondStep({ origins: ['https://api.example'] })
 */
export function followSecondStep(options: SecondStepOptions = {}): () => void {
  // A server that renders the page has no user to lead.
  if (typeof location === 'undefined') return () => {}
  const undo = [wrapFetch(options), wrapRequests(options)]
  return () => undo.forEach((each) => each())
}

function wrapFetch(options: SecondStepOptions): () => void {
  const original = globalThis.fetch
  const wrapped: typeof fetch = async (...args) => {
    const repeat = options.showApproval && repeatable(...args)
    let answer = await original(...args)
    if (repeat && (await isApproved(answer, options, signalOf(...args)))) answer = await original(...repeat())
    if (!isOfRouter(...args) && (await tryToLead(() => refusalOf(answer), options))) await leaving(signalOf(...args))
    return answer
  }
  globalThis.fetch = wrapped
  return () => {
    if (globalThis.fetch === wrapped) globalThis.fetch = original
  }
}

/** How a request is sent once more; undefined for one whose body is a stream. */
function repeatable(input: RequestInfo | URL, init?: RequestInit): (() => Parameters<typeof fetch>) | undefined {
  if (init?.body instanceof ReadableStream) return undefined
  if (!(input instanceof Request)) return () => [input, init]
  const copy = input.clone()
  return () => [copy, init]
}

/** An error is for the developer: the app gets its answer. */
async function isApproved(
  answer: Response,
  { origins = [], showApproval }: SecondStepOptions,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (!showApproval) return false
  try {
    return await waitForApproval(answer, { origins, show: showApproval, signal })
  } catch (error) {
    // oxlint-disable-next-line no-console -- the app has not called this
    console.error(error)
    return false
  }
}

/** The router of Next.js reads pages ahead, so nobody may be led away by it. A page that it cannot read when a user opens it, it loads. */
function isOfRouter(input: RequestInfo | URL, init?: RequestInit): boolean {
  return new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined)).has('rsc')
}

const signalOf = (input: RequestInfo | URL, init?: RequestInit): AbortSignal | undefined =>
  init?.signal ?? (input instanceof Request ? input.signal : undefined)

function wrapRequests(options: SecondStepOptions): () => void {
  const { prototype } = XMLHttpRequest
  // oxlint-disable-next-line typescript/unbound-method -- each request is its `this`
  const { send: original } = prototype
  function send(this: XMLHttpRequest, body?: Document | XMLHttpRequestBodyInit | null): void {
    this.addEventListener('load', () => void tryToLead(() => refusalOfRequest(this), options), { once: true })
    original.call(this, body)
  }
  prototype.send = send
  return () => {
    // oxlint-disable-next-line typescript/unbound-method -- only compared
    if (prototype.send === send) prototype.send = original
  }
}

function refusalOfRequest(request: XMLHttpRequest): Refusal {
  const { status, responseURL: url } = request
  // Asked for a header that it may not show to this origin, a browser writes an error to the console.
  const mayRead = status === 403 && parseUrl(url)?.origin === location.origin
  const header = mayRead ? request.getResponseHeader(challengeHeader) : null
  return { status, url, header, read: () => bodyOf(request) }
}

/** The body in each form that an app can have asked for. One that was read as a document has lost it. */
async function bodyOf(request: XMLHttpRequest): Promise<unknown> {
  const { responseType } = request
  if (responseType === 'json') return request.response as unknown
  if (responseType === '' || responseType === 'text') return JSON.parse(request.responseText)
  return new Response(request.response as ArrayBuffer | Blob).json()
}

/** An error is for the developer: the app gets its answer. */
async function tryToLead(refusal: () => Refusal, options: SecondStepOptions): Promise<boolean> {
  try {
    return await leadFrom(refusal(), options)
  } catch (error) {
    // oxlint-disable-next-line no-console -- the app has not called this
    console.error(error)
    return false
  }
}

/** Waits while the browser leaves the page. A page that it has kept is loaded again when the user comes back. */
function leaving(signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const reload = ({ persisted }: PageTransitionEvent) => void (persisted && location.reload())
    const stop = () => {
      clearTimeout(timer)
      removeEventListener('pageshow', reload)
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    const timer = setTimeout(stop, maxWait)
    addEventListener('pageshow', reload)
    signal?.addEventListener('abort', stop)
  })
}
