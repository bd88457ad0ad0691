import { randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'

/** What is made once and then kept, in a file that only its owner can read. */
export async function keptFile(file: string, make: () => string | Promise<string>): Promise<string> {
  return (await read(file)) ?? create(file, await make())
}

async function read(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (isCalled(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Written aside and then named: another process that starts now finds the whole of it, or none. */
async function create(file: string, content: string): Promise<string> {
  const aside = `${file}.${randomUUID()}`
  await writeFile(aside, content, { mode: 0o600 })
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
