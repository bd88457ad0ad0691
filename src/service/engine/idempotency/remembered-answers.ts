import { rememberedFor } from '../../../contract/idempotency-key.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { ApiProblem } from '../base/problem.ts'
import type { AnswerMemory } from './answer-once.ts'
import { createAnswerLimit } from './answer-limit.ts'
import { answerId, inputDigest, requireSameInput, stillProcessed } from './keyed-call.ts'
import type { KeyedCall } from './keyed-call.ts'
import { answerById, claimAnswer, removeAnswer, storeAnswer } from './statements.ts'

type Context = Pick<ServiceContext, 'store' | 'clock' | 'secrets' | 'limits'>

/** Answers a call with an `Idempotency-Key`: from memory if it was answered before, otherwise by running its handler. */
export type AnswerKeyed = <T>(call: KeyedCall, input: unknown, run: (memory: AnswerMemory) => Promise<T>) => Promise<T>

/** A call whose handler runs in this process. */
interface RunningCall {
  readonly digest: string
  readonly ended: Promise<void>
}

/** A call and the place of its answer. */
interface AnswerPlace {
  readonly id: string
  readonly digest: string
  readonly apiKeyId: string
}

/**
 * Repetitions wait here for the first call in this process, and in the database for one on another node. So a caller who repeats a
 * call many times at once takes no more than one connection of each node.
 */
export function createRememberedAnswers(ctx: Context, maxAnswers?: number): AnswerKeyed {
  const runningCalls = new Map<string, RunningCall>()
  const limit = createAnswerLimit(ctx.clock, maxAnswers)

  return async (call, input, run) => {
    const place = { id: answerId(call), digest: inputDigest(input), apiKeyId: call.apiKeyId }
    const wait = createWait(ctx)
    try {
      for (let first = runningCalls.get(place.id); first; first = runningCalls.get(place.id)) {
        requireSameInput(first.digest, place.digest)
        await wait.for(first)
        await call.requireUnchanged()
      }
    } finally {
      wait.end()
    }
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    runningCalls.set(place.id, { digest: place.digest, ended })
    try {
      return await answerFirst(ctx, call, place, (memory) => {
        limit.take(call.apiKeyId)
        return run(memory)
      })
    } finally {
      runningCalls.delete(place.id)
      end()
    }
  }
}

/** Waits for calls that run, one after the other, as long as the database work of one request may take. */
function createWait({ clock, limits }: Context) {
  const { promise: late, reject } = Promise.withResolvers<never>()
  late.catch(() => {})
  let cancel: (() => void) | undefined
  return {
    /** @throws {ApiProblem} if the call still runs when the time is up. */
    for({ ended }: RunningCall): Promise<void> {
      cancel ??= clock.after(limits.databaseTime, () => reject(stillProcessed()))
      return Promise.race([ended, late])
    },
    end: () => cancel?.(),
  }
}

async function answerFirst<T>(
  ctx: Context,
  call: KeyedCall,
  place: AnswerPlace,
  run: (memory: AnswerMemory) => Promise<T>,
): Promise<T> {
  const remembered = await find(ctx, place)
  if (remembered) return remembered.answer as T
  const { memory, isStored } = createMemory(ctx, call, place)
  try {
    const answer = await run(memory)
    if (!isStored()) throw new Error(`${call.operation} does not remember its answers.`)
    return answer
  } catch (error) {
    // Another node has answered meanwhile, and what it created is why this call was refused.
    const answered = isRefusal(error) ? await find(ctx, place) : undefined
    if (answered) return answered.answer as T
    throw error
  }
}

const isRefusal = (error: unknown) => error instanceof ApiProblem && error.status < 500

/** @throws {ApiProblem} if the answer is that of another request. */
async function find({ store, clock, secrets }: Context, place: AnswerPlace): Promise<{ answer: unknown } | undefined> {
  const sealed = await answerById(store.db, place.id, clock.now())
  if (sealed === undefined) return undefined
  const { digest, answer } = JSON.parse(secrets.open(sealed, recordOf(place))) as { digest: string; answer?: unknown }
  requireSameInput(digest, place.digest)
  return { answer }
}

function createMemory({ clock, secrets }: Context, { domainId }: KeyedCall, place: AnswerPlace) {
  const { id, digest, apiKeyId } = place
  let stored = false
  const memory: AnswerMemory = {
    async claim(db) {
      const now = clock.now()
      const row = { id, apiKeyId, domainId, answer: '', expiresAt: now + rememberedFor }
      if (!(await claimAnswer(db, row, now))) throw stillProcessed()
    },
    async store(db, answer) {
      const sealed = secrets.seal(JSON.stringify({ digest, answer }), recordOf(place))
      await storeAnswer(db, { id, answer: sealed })
      stored = true
    },
    release: (db) => removeAnswer(db, id),
  }
  return { memory, isStored: () => stored }
}

/** An answer opens in its own row only, for its own API key. */
const recordOf = ({ id, apiKeyId }: AnswerPlace) => ({ kind: 'remembered answer', id, userId: apiKeyId }) as const
