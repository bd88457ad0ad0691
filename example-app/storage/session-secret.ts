import { randomBytes } from 'node:crypto'

import { readOrCreateFile } from './read-or-create-file.ts'

/** The secret that signs the cookies of web sessions. */
export async function sessionSecret(file: string): Promise<string> {
  const secret = await readOrCreateFile(file, () => randomBytes(32).toString('base64url'))
  // With an empty file, everyone would know the secret.
  if (secret.length < 32) throw new Error(`${file} is damaged. Delete it; all users then have to sign in again.`)
  return secret
}
