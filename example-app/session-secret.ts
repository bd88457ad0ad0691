import { randomBytes } from 'node:crypto'

import { keptFile } from './kept-file.ts'

/** What web-session cookies are signed with. */
export async function sessionSecret(file: string): Promise<string> {
  const secret = await keptFile(file, () => randomBytes(32).toString('base64url'))
  // An empty file would sign cookies with a secret that everybody knows.
  if (secret.length < 32) throw new Error(`${file} is damaged: remove it; everybody then signs in again`)
  return secret
}
