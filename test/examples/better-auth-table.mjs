/** A real app with better-auth, whose people set up two-factor authentication, in PostgreSQL. Prints what their phones have. */
import { createOTP } from '@better-auth/utils/otp'
import { base32 } from '@better-auth/utils/base32'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { bearer, twoFactor } from 'better-auth/plugins'
import { Pool } from 'pg'

const [connectionString, secret, ...names] = process.argv.slice(2)
const database = new Pool({ connectionString })
const options = {
  secret,
  baseURL: 'http://localhost:3000',
  database,
  emailAndPassword: { enabled: true },
  plugins: [twoFactor(), bearer()],
  telemetry: { enabled: false },
  logger: { disabled: true },
}
const { runMigrations } = await getMigrations(options)
await runMigrations()
const auth = betterAuth(options)
const people = []
for (const name of names) {
  const [email, password] = [`${name}@example.com`, 'a long password']
  const { token } = await auth.api.signUpEmail({ body: { email, password, name } })
  const headers = new Headers({ authorization: `Bearer ${token}` })
  const { totpURI: otpauth, backupCodes } = await auth.api.enableTwoFactor({ body: { password }, headers })
  const key = new TextDecoder().decode(base32.decode(new URL(otpauth).searchParams.get('secret')))
  await auth.api.verifyTOTP({ body: { code: await createOTP(key).totp() }, headers })
  people.push({ email, otpauth, backupCodes })
}
await database.end()
process.stdout.write(JSON.stringify(people))
