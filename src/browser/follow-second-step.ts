import { challengeHeader, lead } from './second-step.ts'
import type { Refusal, SecondStepOptions } from './second-step.ts'

/** How long a call waits for the browser to leave this page: the user may have chosen to stay; ms. */
const longestLeave = 10_000

/**
 * Does what {@link leadToSecondStep} does for every answer to `fetch()` and `XMLHttpRequest`, without a change to the calls of the app
 * and of its libraries. Call it once, before them.
 *
 * A `fetch()` whose user is led away is answered once the user is back on this page, or after ten seconds: the app shows no error
 * meanwhile.
 *
 * @returns a function that undoes it.
 *
 * @example
 * followSecondStep()
 * followSecondStep({ origins: ['https://api.example'] })
 */
export function followSecondStep(options: SecondStepOptions = {}): () => void {
  const undo = [wrapFetch(options), wrapRequests(options)]
  return () => undo.forEach((each) => each())
}

function wrapFetch(options: SecondStepOptions): () => void {
  const original = globalThis.fetch
  globalThis.fetch = async (...args) => {
    const answer = await original(...args)
    const read = () => answer.clone().json() as Promise<unknown>
    const { status, url, headers } = answer
    if (await tryToLead({ status, url, header: headers.get(challengeHeader), read }, options)) await untilBack()
    return answer
  }
  return () => void (globalThis.fetch = original)
}

function wrapRequests(options: SecondStepOptions): () => void {
  const { prototype } = XMLHttpRequest
  // oxlint-disable-next-line typescript/unbound-method -- each request is its `this`
  const { send: original } = prototype
  prototype.send = function send(...args) {
    this.addEventListener('load', () => void tryToLead(refusalOf(this), options))
    original.apply(this, args)
  }
  return () => void (prototype.send = original)
}

function refusalOf(request: XMLHttpRequest): Refusal {
  const { status, responseURL: url } = request
  // Asked for a header that it may not show to this origin, a browser writes an error to the console.
  const mayRead = status === 403 && URL.parse(url)?.origin === location.origin
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

/** A setup that leads nowhere is told to the developer; the app gets its answer. */
async function tryToLead(answer: Refusal, options: SecondStepOptions): Promise<boolean> {
  try {
    return await lead(answer, options)
  } catch (error) {
    // oxlint-disable-next-line no-console -- the app has not called this
    console.error(error)
    return false
  }
}

/** A page that the browser has kept is shown again with everything that waits on it. */
function untilBack(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, longestLeave)
    addEventListener('pageshow', () => resolve(), { once: true })
  })
}
