import type { Challenge } from '../../challenge/challenge.ts'
import type { Step } from '../../challenge/push.ts'
import { cancel, start } from '../../challenge/push.ts'
import type { ChallengeRequest } from '../request/web-request.ts'
import { pushOptionsOf, senderOf, emitStep, withShownCode } from '../request/web-request.ts'

/** Longer than storing a web session takes, shorter than the time after which a request may be sent again; ms. */
const rememberedFor = 10_000

/** By the challenge and how often it asked before: each request is followed by one other. */
const starts = new Map<string, Promise<Step>>()

/**
 * Asks the device, and takes back what was asked before. Pages that are loaded, and buttons that are pressed, at the same
 * moment ask once: all of them have read the web session before any could store in it that the device was asked.
 */
export async function startOnce(request: ChallengeRequest, challenge: Challenge): Promise<Step> {
  const name = `${challenge.id} ${challenge.asks ?? 0}`
  const present = starts.get(name)
  if (present) return present
  const started = ask(request, challenge)
  starts.set(name, started)
  const forget = () => void starts.delete(name)
  try {
    const step = await started
    if (step.challenge.sessionId === undefined) forget()
    else request.context.mfa.options.clock.after(rememberedFor, forget)
    return step
  } catch (error) {
    forget()
    throw error
  }
}

async function ask(request: ChallengeRequest, challenge: Challenge): Promise<Step> {
  const service = await request.context.mfa.connect()
  await cancel(service, challenge)
  const step = await start(service, resetChallenge(challenge), senderOf(request), pushOptionsOf(request, challenge))
  emitStep(request, step)
  const enrolling = { ...step, challenge: withEnrollment(step) }
  // Only a 1.3 service does not know which codes were issued for a page.
  return service.version === '1.3' ? { ...step, challenge: withShownCode(request, service, enrolling) } : enrolling
}

/** The same challenge, with nothing asked and nothing said of it. */
function resetChallenge(challenge: Challenge): Challenge {
  const { sessionId, notice: _said, ...rest } = challenge
  return sessionId === undefined ? challenge : rest
}

/** A first device that was offered and can be asked now was set up on the way. */
function withEnrollment({ challenge, status }: Step): Challenge {
  const { enrollment } = challenge
  if (status.kind === 'enrolling' && enrollment === undefined) return { ...challenge, enrollment: 'offered' }
  return status.kind === 'waiting' && enrollment === 'offered' ? { ...challenge, enrollment: 'done' } : challenge
}
