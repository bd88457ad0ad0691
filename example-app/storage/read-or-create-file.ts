import { randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'

/** Reads a file, or creates it so that only its owner can read it. */
export async function readOrCreateFile(file: string, make: () => string | Promise<string>): Promise<string> {
  return (await read(file)) ?? create(file, await make())
}

async function read(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Writes a temporary file and links it, so that another process never sees half of it. */
async function create(file: string, content: string): Promise<string> {
  const temporary = `${file}.${randomUUID()}`
  await writeFile(temporary, content, { mode: 0o600 })
  try {
    await link(temporary, file)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    await rm(temporary)
  }
  return readFile(file, 'utf8')
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
