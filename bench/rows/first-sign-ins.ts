import { createClient } from '../../src/client/client.ts'
import { codeAt, stepAt } from '../../src/service/features/codes/totp.ts'
import { command, serve } from '../../test/processes/command.ts'
import { createRestCaller } from '../loads/rest-caller.ts'
import { addCodeUsers } from '../loads/second-steps.ts'
import { timeOf } from '../measuring/processor-time.ts'
import { median } from '../spread.ts'

/** Sign-ins until the code is compiled, and the ones that are measured then, in blocks as long as the first one. */
const [untilSteady, steadyBlocks, block] = [3_000, 20, 90]

/** One start: processor time and time of a sign-in among the 10th to the 100th, and later; milliseconds. */
export interface FirstSignIns {
  readonly first: { readonly cpu: number; readonly time: number }
  readonly steady: { readonly cpu: number; readonly time: number }
}

/** Starts `serve` again and again on a database with users, and signs them in with codes, one after another. */
export async function firstSignIns(database: string, rounds: number): Promise<readonly FirstSignIns[]> {
  const onDatabase = async (...args: readonly string[]) =>
    (await command([...args, '--database', database, '--json'])).json
  const { apiKey, domainId } = (await onDatabase('init')) as { apiKey: string; domainId: string }
  const users = 100
  const preparing = await serve(database)
  const client = createClient({ baseUrl: `${preparing.origin}/api`, apiKey })
  const seeds = await addCodeUsers({ client, domainId }, users)
  await preparing.stop()
  // The clocks of the tokens are a step further ahead each time, so that a user can enter many codes within one step.
  const ahead = seeds.map(() => 0)
  const found: FirstSignIns[] = []
  for (let round = 0; round < rounds; round++) {
    const served = await serve(database)
    const pid = served.child.pid ?? 0
    await untilIdle(pid)
    const { post } = createRestCaller(served.origin.replace('127.0.0.1', 'localhost'), apiKey)
    let count = 0
    const enter = async (user: number) => {
      const step = stepAt(Date.now() / 1000, 30) + (ahead[user] = (ahead[user] ?? 0) + 1)
      const otp = codeAt({ seed: seeds[user] ?? '', digits: 6 }, step)
      const body = { user: { username: `codes-${user}` }, otp }
      return (await post<{ state: string }>(`/domains/${domainId}/sessions`, body)).state
    }
    const signIn = async () => {
      const user = count++ % users
      if ((await enter(user)) === 'approved') return
      // A step has begun between the code and its check, so the service knows the token as one step less ahead.
      ahead[user] = (ahead[user] ?? 0) - 2
      const state = await enter(user)
      if (state !== 'approved') throw new Error(`the code was ${state}`)
    }
    const measured = async (number: number) => {
      const [cpu, time] = [timeOf(pid), performance.now()]
      for (let index = 0; index < number; index++) await signIn()
      return { cpu: (timeOf(pid) - cpu) / number, time: (performance.now() - time) / number }
    }
    await measured(10)
    const first = await measured(block)
    await measured(untilSteady)
    const steady = await measured(steadyBlocks * block)
    found.push({ first, steady })
    await served.stop()
  }
  return found
}

/** The median of the ratios: what slows down a whole start does not count. */
export const firstToSteady = (starts: readonly FirstSignIns[]): number =>
  median(starts.map(({ first, steady }) => first.cpu / steady.cpu))

/** Waits until a process has taken no processor time for longer than `serve` waits before it warms up. */
export async function untilIdle(pid: number): Promise<void> {
  for (let last = -1; last !== timeOf(pid);) {
    last = timeOf(pid)
    await new Promise((resolve) => void setTimeout(resolve, 1_500))
  }
}
