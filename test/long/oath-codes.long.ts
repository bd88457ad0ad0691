import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { importHardwareTokens } from '../../src/service/features/hardware/import.ts'
import { readTokens } from '../../src/service/features/hardware/files/read-tokens.ts'
import { startConsole } from '../service/features/administrators/console-holder.ts'
import type { Console } from '../service/features/administrators/console-holder.ts'
import { useEngine } from '../support/engines.ts'
import { member, unique } from '../service/features/codes/code-holder.ts'

/** The code that another implementation computes. @throws {Error} that names the package to install, or the problem found. */
function oathtool(...args: readonly string[]): string {
  try {
    return execFileSync('oathtool', args, { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new Error('This test needs oathtool. On Debian: sudo apt-get install oathtool', { cause: error })
    }
    throw error
  }
}

const hashes = { SHA1: 20, SHA256: 32, SHA512: 64 } as const
const algorithms = Object.keys(hashes) as (keyof typeof hashes)[]
const timeBased = algorithms.flatMap((algorithm) =>
  [6, 7, 8].flatMap((digits) => [15, 30, 45, 60, 120].map((period) => ({ algorithm, digits, period }))),
)

describe('the codes of oathtool', () => {
  const newDatabase = useEngine('SQLite')
  let running: Console

  beforeAll(async () => {
    running = await startConsole(await newDatabase())
  })
  afterAll(() => running.close())

  /** Imports a token, and gives it to a person. */
  async function imported(columns: Readonly<Record<string, string | number>>) {
    const person = await member(running)
    const serial = unique()
    const file = [Object.keys({ serial, ...columns }), Object.values({ serial, ...columns })].join('\n')
    const { organization, ctx } = running
    const { imported: count } = await importHardwareTokens(ctx, organization.id, readTokens([Buffer.from(file)]))
    expect(count).toBe(1)
    const { json } = await running.call('GET', '/hardware')
    const { id } = json.find(({ serialNumber }: { serialNumber: string }) => serialNumber === serial)
    await running.call('PUT', `${person.path}/hardware/${id}`)
    return { ...person, show: async () => (await running.call('GET', `/hardware/${id}`)).json }
  }

  it.each(timeBased)(
    'a time-based code of oathtool is accepted once, with $algorithm, $digits digits and $period s',
    async ({ algorithm, digits, period }) => {
      const seed = randomBytes(hashes[algorithm]).toString('hex')
      const { signIn } = await imported({ seed, algorithm, digits, period })
      const otp = oathtool(
        `--totp=${algorithm.toLowerCase()}`,
        `--digits=${digits}`,
        `--time-step-size=${period}s`,
        `--now=@${running.clock.now()}`,
        seed,
      )

      const states = [(await signIn({ otp })).state, (await signIn({ otp })).state]

      expect([otp.length, states]).toEqual([digits, ['approved', 'denied']])
    },
  )

  it.each([6, 7, 8].flatMap((digits) => [0, 1, 4_711, 2_147_483_648].map((counter) => ({ digits, counter }))))(
    'a counter-based code of oathtool is accepted once, with $digits digits and from counter $counter',
    async ({ digits, counter }) => {
      const seed = randomBytes(20).toString('hex')
      const { signIn, show } = await imported({ seed, type: `HOTP${digits}`, counter })
      const codeOf = (next: number) => oathtool('--hotp', `--digits=${digits}`, `--counter=${next}`, seed)

      const states = []
      for (const next of [counter, counter, counter + 5, counter + 4])
        states.push((await signIn({ otp: codeOf(next) })).state)

      expect(states).toEqual(['approved', 'denied', 'approved', 'denied'])
      expect(await show()).toMatchObject({ counter: counter + 6, syncState: 'Synchronized' })
    },
  )
})
