/** A real app with better-auth: its people set up two-factor authentication. Prints its table, and the codes it expects at a time. */
import { createOTP } from '@better-auth/utils/otp'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { bearer, twoFactor } from 'better-auth/plugins'

const [count, digits, time, secret] = [
  Number(process.argv[2]),
  Number(process.argv[3]),
  Number(process.argv[4]),
  process.argv[5],
]
/** Its adapter in memory searches all that it has: so the people are those of several apps with one secret. */
const peopleOfApp = 250

const [rows, people] = [[], []]
for (let start = 0; start < count; start += peopleOfApp) await addPeople(start, Math.min(count, start + peopleOfApp))
process.stdout.write(JSON.stringify({ rows, people }))

async function addPeople(start, end) {
  const db = { user: [], session: [], account: [], verification: [], twoFactor: [], rateLimit: [] }
  const auth = betterAuth({
    secret,
    baseURL: 'http://localhost:3000',
    database: memoryAdapter(db),
    // Hashing passwords slowly is not what this is about.
    emailAndPassword: {
      enabled: true,
      password: { hash: async (password) => password, verify: async ({ hash, password }) => hash === password },
    },
    plugins: [twoFactor({ totpOptions: { digits, period: 30 } }), bearer()],
    telemetry: { enabled: false },
    logger: { disabled: true },
  })
  for (let index = start; index < end; index += 1) {
    const [email, password] = [`person-${index}@example.com`, 'a long password']
    const signedUp = await auth.api.signUpEmail({ body: { email, password, name: `Person ${index}` } })
    const headers = new Headers({ authorization: `Bearer ${signedUp.token}` })
    const { totpURI } = await auth.api.enableTwoFactor({ body: { password }, headers })
    const key = Buffer.from(decodeBase32(new URL(totpURI).searchParams.get('secret'))).toString()
    const otp = createOTP(key, { digits, period: 30 })
    await auth.api.verifyTOTP({ body: { code: await otp.totp() }, headers })
    people.push({
      email,
      code: await otp.hotp(Math.floor(time / 30)),
      later: await otp.hotp(Math.floor((time + 120) / 30)),
    })
  }
  const emails = new Map(db.user.map(({ id, email }) => [id, email]))
  rows.push(...db.twoFactor.map((row) => ({ ...row, username: emails.get(row.userId) })))
}

function decodeBase32(text) {
  const bits = [...text]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  return (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))
}
