import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'

/** What web-session cookies are signed with: made once, kept in a file that only its owner can read. */
export async function sessionSecret(file: string): Promise<string> {
  try {
    await writeFile(file, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const secret = await readFile(file, 'utf8')
  // An empty file would sign cookies with a secret that everybody knows.
  if (secret.length < 32) throw new Error(`${file} is damaged: remove it; everybody then signs in again`)
  return secret
}
