import { randomBytes, randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'

/** What web-session cookies are signed with: made once, kept in a file that only its owner can read. */
export async function sessionSecret(file: string): Promise<string> {
  const secret = (await read(file)) ?? (await create(file))
  // An empty file would sign cookies with a secret that everybody knows.
  if (secret.length < 32) throw new Error(`${file} is damaged: remove it; everybody then signs in again`)
  return secret
}

async function read(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (isCalled(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Written aside and then named: another process that starts now finds the whole secret, or none. */
async function create(file: string): Promise<string> {
  const aside = `${file}.${randomUUID()}`
  await writeFile(aside, randomBytes(32).toString('base64url'), { mode: 0o600 })
  try {
    await link(aside, file)
  } catch (error) {
    if (!isCalled(error, 'EEXIST')) throw error
  } finally {
    await rm(aside)
  }
  return readFile(file, 'utf8')
}

function isCalled(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
