import type { Challenge } from '../challenge/challenge.ts'
import type { Step } from '../challenge/push.ts'
import { start } from '../challenge/push.ts'
import type { ChallengeRequest } from './challenge-request.ts'
import { pushOptionsOf, senderOf, tellStep } from './challenge-request.ts'

/** Longer than storing a web session takes, shorter than the time after which a request may be sent again; ms. */
const rememberedFor = 10_000

/** Challenges that are being started, or were just now. */
const starts = new Map<string, Promise<Step>>()

/**
 * Asks the device for a challenge that asked nobody yet. Pages that are loaded at the same moment ask once: they have
 * read the web session before any of them could store in it that the device was asked.
 */
export function startOnce(request: ChallengeRequest, challenge: Challenge): Promise<Step> {
  return starts.get(challenge.id) ?? startNow(request, challenge)
}

/** Asks whatever was asked before. */
export async function startNow(request: ChallengeRequest, challenge: Challenge): Promise<Step> {
  const { clock } = request.context.mfa.options
  const forget = () => {
    if (starts.get(challenge.id) === started) starts.delete(challenge.id)
  }
  const started = ask(request, challenge)
  starts.set(challenge.id, started)
  try {
    const step = await started
    if (step.challenge.sessionId === undefined) forget()
    else clock.after(rememberedFor, forget)
    return step
  } catch (error) {
    forget()
    throw error
  }
}

async function ask(request: ChallengeRequest, challenge: Challenge): Promise<Step> {
  const { context } = request
  const step = await start(await context.mfa.connect(), challenge, senderOf(request), pushOptionsOf(request))
  tellStep(request, step)
  return step
}
