import speakeasy from 'speakeasy'

import type { Mover } from './moving.ts'

const kinds = ['sha1', 'sha256', 'sha512'] as const

/** People of an app with speakeasy, whose hash differs, and the rows that the app stores of them. */
export function speakeasyPeople(count: number): { movers: Mover[]; file: string } {
  const people = Array.from({ length: count }, (_, index) => {
    const algorithm = kinds[index % kinds.length] ?? 'sha1'
    const [{ base32 }, digits] = [speakeasy.generateSecret(), index % 2 ? 6 : 8]
    const username = `speakeasy-${index}`
    const options = { secret: base32, encoding: 'base32', algorithm, digits } as const
    const mover: Mover = { username, codeAt: (time) => speakeasy.totp({ ...options, time }) }
    return { mover, row: { username, secret: base32, algorithm, digits } }
  })
  return {
    movers: people.map(({ mover }) => mover),
    file: people.map(({ row }) => JSON.stringify(row)).join('\n'),
  }
}
