/**
 * `PEERS=/tmp/peers node bench/sign-in-checks.ts [rounds]`: how many second steps a second one process checks, ours
 * beside what else the npm registry has. Everybody is asked over HTTP, eight at a time, by turns; who asks shares the
 * process. Prints the median of the rounds, and the median of their ratios to our codes on SQLite.
 *
 * Peers are not installed here: `npm i --ignore-scripts better-auth@1.4 otplib passport-totp speakeasy` in a folder, named by PEERS. Those that are not there are left out.
 */
import { createTestClock } from '../src/testing/clock.ts'
import type { Contender } from './sign-in-checks/contender.ts'
import { codesOfOurs, pushesOfOurs } from './sign-in-checks/ours.ts'
import { loadPeers } from './sign-in-checks/peers.ts'
import { median } from './spread.ts'
import { startService } from './running-service.ts'

const rounds = Number(process.argv[2] ?? 9)
const people = 120
const atATime = 8

const clock = createTestClock()
const services = await Promise.all((['SQLite', 'PostgreSQL'] as const).map((engine) => startService(engine, { clock })))
const peers = await loadPeers(process.env['PEERS'])
const contenders: Contender[] = []
for (const service of services) {
  contenders.push(await codesOfOurs(service, clock, people), await pushesOfOurs(service, clock, atATime))
}
contenders.push(...peers)

try {
  const speeds = contenders.map((): number[] => [])
  // The first round only warms up.
  for (let round = -1; round < rounds; round++) {
    // Each code works once: on with the next.
    await clock.advance(30)
    for (const [index, contender] of contenders.entries()) {
      const speed = await checksPerSecond(contender)
      if (round >= 0) speeds[index]?.push(speed)
    }
  }
  const [ours = []] = speeds
  contenders.forEach(({ name, replayed }, index) => {
    const own = speeds[index] ?? []
    const ratio = median(own.map((speed, round) => speed / (ours[round] ?? Number.NaN)))
    const said = `${String(Math.round(median(own))).padStart(6)} a second  ${ratio.toFixed(2).padStart(6)} x`
    console.log(`${name.padEnd(34)}${said}   ${replayed ? 'takes a code twice' : ''}`)
  })
} finally {
  for (const { close } of contenders) await close?.()
  for (const service of services) await service.close()
}

/** Each person once, eight at a time. */
async function checksPerSecond({ check }: Contender): Promise<number> {
  let next = 0
  const start = performance.now()
  const work = async () => {
    for (let person = next++; person < people; person = next++) await check(person)
  }
  await Promise.all(Array.from({ length: atATime }, work))
  return people / ((performance.now() - start) / 1000)
}
