import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'

import { Failure } from '../device/failure.ts'

/** A whole file of at most so many bytes. Devices, pipes and folders are none: some of them never end. */
export async function readInput(path: string, limit: number): Promise<Buffer> {
  const file = await openInput(path)
  try {
    if (!(await file.stat()).isFile()) {
      throw new Failure(`The file ${path} cannot be read: it is something else than a file. Choose another path.`)
    }
    const bytes = await buffer(file.createReadStream({ start: 0, end: limit, autoClose: false }))
    if (bytes.length > limit) throw tooLarge(path, limit)
    return bytes
  } finally {
    await file.close()
  }
}

async function openInput(path: string): Promise<FileHandle> {
  try {
    // Without waiting for who writes into a pipe.
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    const reason = missing ? 'there is none. Check the path.' : 'it may not be read. Check who owns it.'
    throw new Failure(`The file ${path} cannot be read: ${reason}`, undefined, { cause })
  }
}

function tooLarge(path: string, limit: number): Failure {
  const text = limit >= 1024 * 1024 ? `${limit / 1024 / 1024} MiB` : `${limit / 1024} KiB`
  return new Failure(`The file ${path} is larger than ${text}. Choose a smaller one.`)
}
