import type { ChallengeStatus } from '../../challenge/challenge-status.ts'
import type { Challenge } from '../../challenge/challenge.ts'
import { hasHandedOverCode, mayHaveFirst } from '../../challenge/enrollment.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import { ImportedCode, ImportedFactors, maxImportedCodes } from '../../contract/imported-factors.ts'
import { KeyUriError, parseKeyUri } from '../../contract/key-uri.ts'
import type { User } from '../../contract/users.ts'
import { describeMistakes, validate } from '../../contract/validate.ts'
import { pause } from '../../ground/clock.ts'
import { SetupError } from '../../service-handle.ts'
import type { HttpRequest } from '../framework/http-request.ts'
import type { ResolvedOptions } from '../options/options.ts'
import { ImportError } from '../request/import-error.ts'
import type { WebRequest } from '../request/web-request.ts'
import { acceptedFactors, challengePolicy } from './challenge-policy.ts'

/** What the app's own store has for a user who has no factor here yet. While it has something, the password alone enrolls nothing. */
export type Brought =
  /** The first right code imports the factors. */
  | { readonly kind: 'import'; readonly factors: ImportedFactors }
  /** They cannot be imported here: only an administrator helps. */
  | { readonly kind: 'refused'; readonly status: ChallengeStatus }

/** How long the app may take to answer, milliseconds: the user waits for the page meanwhile. */
const importTimeout = 3_000

/** The answers by request: an app is asked once for each, however many steps of it want to know. */
const asked = new WeakMap<HttpRequest, { readonly userKey: string | undefined; readonly answer: Promise<Answer> }>()

type Answer = ImportedFactors | undefined

/**
 * Asks the option `importFactors`. Only here it is decided who is asked about: members who never had a factor, unless their factors
 * were imported or reset. After a reset, the app's store still has the seed of the phone that was stolen.
 *
 * @throws {ImportError} if there is no usable answer; {SetupError} if the service is too old to import factors.
 */
export async function findBrought(
  request: WebRequest,
  service: ConnectedService,
  member: User | undefined,
): Promise<Brought | undefined> {
  if (!request.context.mfa.options.importFactors || !member || !mayHaveFirst(member)) return undefined
  if (member.importState === undefined) throw new SetupError(tooOld)
  if (member.importState === 'closed') return undefined
  const factors = await askOnce(request)
  if (!factors) return undefined
  if (!takesAppCodes(request, { service, member })) return { kind: 'refused', status: { kind: 'no_device' } }
  // `restored`: a reset may have been lost with what the backup does not have. And where an administrator hands a code over, the user
  // has lost the app.
  const needsCode = member.importState === 'restored' || (await hasHandedOverCode(service, member.id))
  return needsCode ? { kind: 'refused', status: { kind: 'code_needed' } } : { kind: 'import', factors }
}

/** What the page shows to a user who brings factors. */
export const statusOfBrought = (brought: Brought): ChallengeStatus =>
  brought.kind === 'refused' ? brought.status : { kind: 'importing', withCodes: hasCodes(brought.factors) }

/** Whether the user may type a recovery code of the other system. */
export const hasCodes = ({ recovery = [] }: ImportedFactors): boolean => recovery.length > 0

const tooOld = 'mfa: importFactors needs a service that imports factors: update second-factor there'

/** Whether a code of an app passes the challenge of this web session: the import is a sign-in, and nothing else. */
function takesAppCodes(request: WebRequest, membership: { service: ConnectedService; member: User }): boolean {
  const challenge: Partial<Challenge> = request.state.challenge ?? {}
  if (challenge.purpose !== undefined && challenge.purpose !== 'sign_in') return false
  return acceptedFactors(challengePolicy(request, challenge), membership).includes('otp')
}

function askOnce(request: WebRequest): Promise<Answer> {
  const { req, context } = request
  const before = asked.get(req)
  if (before && before.userKey === context.userKey) return before.answer
  const answer = ask(request)
  asked.set(req, { userKey: context.userKey, answer })
  return answer
}

async function ask({ user, context }: WebRequest): Promise<Answer> {
  const { options } = context.mfa
  const { importFactors, clock } = options
  const answered = new AbortController()
  try {
    const answer: unknown = await Promise.race([
      importFactors?.(user),
      pause(clock, importTimeout, answered.signal).then(() => late),
    ])
    if (answer === late) throw new ImportError(`importFactors has not answered within ${importTimeout / 1000} s`)
    return readAnswer(answer, options)
  } catch (error) {
    if (error instanceof ImportError) throw error
    throw new ImportError(`importFactors failed: ${placeOf(error)}`)
  } finally {
    answered.abort()
  }
}

const late = Symbol('no answer in time')

/** The name of an error, and where it happened. Its message may quote the secret that the app could not read. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it threw something that is no Error'
  const place = error.stack?.split('\n').find((line) => line.startsWith('    at ')) ?? ''
  return `${error.name} ${place.trim()}`.trim()
}

function readAnswer(answer: unknown, options: ResolvedOptions): Answer {
  if (answer === undefined || answer === null || answer === false) return undefined
  const { otpauth, recovery } = Object(answer) as { readonly otpauth?: unknown; readonly recovery?: unknown }
  const read = validate(ImportedFactors, { app: readUri(otpauth), recovery: usableCodes(recovery ?? [], options) })
  if (read.success) return read.data
  throw unusable(describeMistakes(read.mistakes))
}

/** One that cannot be imported must not keep its person out: the app is imported without it. */
function usableCodes(recovery: unknown, options: ResolvedOptions): unknown {
  if (!Array.isArray(recovery)) throw unusable('recovery: must be a list')
  const usable = recovery.filter((code) => ImportedCode.safeParse(code).success).slice(0, maxImportedCodes)
  if (usable.length < recovery.length) {
    const count = `${recovery.length - usable.length} of ${recovery.length}`
    options.logger.warn(`mfa: importFactors: ${count} recovery codes of a user cannot be imported; the app can`)
  }
  return usable
}

function readUri(otpauth: unknown): unknown {
  if (typeof otpauth !== 'string') throw unusable('otpauth: must be a string')
  try {
    return parseKeyUri(otpauth)
  } catch (error) {
    if (error instanceof KeyUriError) throw unusable(`otpauth: ${error.message}`)
    throw error
  }
}

/** It says what is wrong and quotes nothing of the answer, which is secret. */
const unusable = (reason: string): ImportError =>
  new ImportError(`importFactors returned an unusable answer: ${reason}`)
